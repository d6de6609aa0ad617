#pragma once

#include "experiment/samplers/both.hpp"
#include "experiment/samplers/class_balanced_sampler.hpp"
#include "experiment/samplers/k_fold_random_sampler.hpp"

#include <string_view>
#include <vector>

namespace ptp::experiment {

struct KFoldStratifiedSampler : Folds, Classes {
    static constexpr std::string_view kName = "kFoldStratifiedSampler";
    static constexpr std::string_view kHelp =
        "the folds of a cross-validation, with the classes in the same proportions";

    std::vector<schema::Field> fields() { return both(Folds::fields(), Classes::fields()); }
    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value& table) const {
        return both(Folds::problems(table), Classes::problems(table));
    }
};

}  // namespace ptp::experiment
