#pragma once

#include "schema/one_of.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The samples that may be drawn.
struct Subset {
    std::optional<schema::NumberList<std::int64_t>> indices = {};  // absent if it was rejected

    std::vector<schema::Field> fields() {
        return {{.name = "indices",
                 .into = &indices,
                 .help = "of the samples; two numbers are the range [begin, end)",
                 .is_required = true}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        if (indices && is_range() && indices->values[0] >= indices->values[1]) {
            return {
                {"indices", "two numbers are the range [begin, end), so begin must be below end"}};
        }
        return {};
    }

    [[nodiscard]] std::int64_t largest() const {
        return is_range() ? indices->values[1] - 1 : *std::ranges::max_element(indices->values);
    }

    [[nodiscard]] std::vector<std::int64_t> expanded() const {
        if (!is_range()) {
            return indices->values;
        }
        std::vector<std::int64_t> all(
            static_cast<std::size_t>(indices->values[1] - indices->values[0]));
        std::iota(all.begin(), all.end(), indices->values[0]);
        return all;
    }

private:
    [[nodiscard]] bool is_range() const { return indices->values.size() == 2; }
};

struct SubsetRandomSampler : Subset {
    static constexpr std::string_view kName = "SubsetRandomSampler";
    static constexpr std::string_view kHelp = "some samples, in a new order each epoch";
};

}  // namespace ptp::experiment
