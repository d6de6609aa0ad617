#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/k_fold_random_sampler.hpp"
#include "experiment/samplers/length_grouped_sampler.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct KFoldLengthGroupedSampler : Folds, Lengths {
    static constexpr std::string_view kName = "kFoldLengthGroupedSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, in batches of similar lengths";

    std::vector<schema::Field> fields() { return both(Folds::fields(), Lengths::fields()); }
    [[nodiscard]] bool is_in_order() const { return false; }
};

}  // namespace ptp::experiment
