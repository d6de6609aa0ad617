#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/length_grouped_sampler.hpp"
#include "experiment/samplers/random_split_sampler.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct LengthGroupedSplitSampler : Split, Lengths {
    static constexpr std::string_view kName = "LengthGroupedSplitSampler";
    static constexpr std::string_view kHelp =
        "a share of the samples, split at random, in batches of similar lengths";

    std::vector<schema::Field> fields() { return both(Split::fields(), Lengths::fields()); }
    [[nodiscard]] bool is_in_order() const { return false; }
};

}  // namespace ptp::experiment
