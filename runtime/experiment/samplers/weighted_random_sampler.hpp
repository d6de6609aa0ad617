#pragma once

#include "schema/one_of.hpp"

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// In place of the numbers of samples: the task states them.
inline constexpr std::string_view kFromTask = "task";

// How likely each sample is.
struct Weights {
    static constexpr std::string_view kExpected =
        "a list of numbers, a string of them, the name of a file, or \"task\"";

    std::optional<schema::NumberList<double>> weights =
        {};                                    // present; numbers: not negative, not all 0
    std::optional<std::int64_t> samples = {};  // in an epoch; absent: as many as there are

    std::vector<schema::Field> fields() {
        return {{.name = "weights",
                 .into = &weights,
                 .help = "a number for each sample of the task, or \"task\": those that the task "
                         "states, else 1 divided by the size of the sample's class",
                 .choices = {std::string(kFromTask)},
                 .is_required = true,
                 .expected = kExpected},
                samples_field(samples)};
    }

    static schema::Field samples_field(std::optional<std::int64_t>& samples) {
        return {.name = "samples",
                .into = &samples,
                .help = "how many an epoch has; by default as many as there are",
                .range = "[1, 10000000000]"};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        const auto sum = weights && weights->source.empty()
                             ? std::accumulate(weights->values.begin(), weights->values.end(), 0.0)
                             : 1;
        if (sum <= 0) {
            return {{"weights", "at least one weight must be above 0"}};
        }
        return {};
    }
};

struct WeightedRandomSampler : Weights {
    static constexpr std::string_view kName = "WeightedRandomSampler";
    static constexpr std::string_view kHelp =
        "samples in proportion to their weights, with replacement";
};

}  // namespace ptp::experiment
