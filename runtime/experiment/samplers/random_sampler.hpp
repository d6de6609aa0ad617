#pragma once

#include "experiment/samplers/weighted_random_sampler.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::experiment {

struct RandomSampler {
    static constexpr std::string_view kName = "RandomSampler";
    static constexpr std::string_view kHelp =
        "all samples, or some, in a new order each epoch; also with replacement";

    bool replacement = false;
    std::optional<std::int64_t> samples = {};  // per epoch; absent: the number of samples

    std::vector<schema::Field> fields() {
        return {{.name = "replacement",
                 .into = &replacement,
                 .help = "draws with replacement: a sample may come several times in an epoch"},
                Weights::samples_field(samples)};
    }
};

}  // namespace ptp::experiment
