#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/k_fold_random_sampler.hpp"
#include "experiment/samplers/weighted_random_sampler.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct KFoldWeightedRandomSampler : Folds, Weights {
    static constexpr std::string_view kName = "kFoldWeightedRandomSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, drawn by weights in training";

    std::vector<schema::Field> fields() { return both(Folds::fields(), Weights::fields()); }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Folds::problems(table), Weights::problems(table));
    }
};

}  // namespace ptp::experiment
