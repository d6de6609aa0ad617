#pragma once

#include "experiment/samplers/subset_random_sampler.hpp"

#include <string_view>

namespace ptp::experiment {

struct SubsetSequentialSampler : Subset {
    static constexpr std::string_view kName = "SubsetSequentialSampler";
    static constexpr std::string_view kHelp = "some samples, in order";

    [[nodiscard]] bool is_in_order() const { return true; }
};

}  // namespace ptp::experiment
