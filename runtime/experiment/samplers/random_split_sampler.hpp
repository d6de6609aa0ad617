#pragma once

#include "schema/one_of.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// A range of the samples, as shares of an order that depends only on the seed.
struct Split {
    std::array<double, 2> share = {0, 1};
    std::int64_t seed = 0;
    bool is_measured = false;  // not a key: a section that is not trained on has its share in order

    std::vector<schema::Field> fields() {
        return {{.name = "share",
                 .into = &share,
                 .help = "[begin, end) of the samples in the split's order, as parts of 1",
                 .range = "[0, 1]",
                 .is_required = true},
                {.name = "seed",
                 .into = &seed,
                 .help = "which samples are in which share",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        const Value* written = table.find("share");
        const bool has_share = written != nullptr && written->is_list() &&
                               written->items().size() == 2 &&
                               std::ranges::all_of(written->items(), &Value::is_number);
        if (has_share && written->items()[0].as_real() >= written->items()[1].as_real()) {
            return {{"share", "must be [begin, end] with begin below end, such as [0.0, 0.8]"}};
        }
        return {};
    }

    [[nodiscard]] bool is_in_order() const { return is_measured; }
};

struct RandomSplitSampler : Split {
    static constexpr std::string_view kName = "RandomSplitSampler";
    static constexpr std::string_view kHelp = "a share of the samples, split at random";
};

}  // namespace ptp::experiment
