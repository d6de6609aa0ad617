#pragma once

#include "schema/one_of.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The samples outside of one fold of a cross-validation, or those in it.
struct Folds {
    std::int64_t folds = 0;
    std::int64_t fold = 0;          // the held-out fold, below `folds`
    std::string part = "training";  // all but the fold; "validation": the fold
    std::int64_t fold_seed = 0;

    std::vector<schema::Field> fields() {
        return {{.name = "folds",
                 .into = &folds,
                 .help = "into how many parts the samples are cut",
                 .range = "[2, inf)",
                 .is_required = true},
                {.name = "fold",
                 .into = &fold,
                 .help = "the part that is held out, from 0",
                 .range = "[0, inf)",
                 .is_required = true},
                {.name = "part",
                 .into = &part,
                 .help = "training: all but the fold; validation: the fold",
                 .choices = {"training", "validation"}},
                {.name = "fold_seed",
                 .into = &fold_seed,
                 .help = "which samples are in which fold",
                 .range = "[0, inf)"}};
    }

    [[nodiscard]] std::vector<schema::KeyProblem> problems(const Value&) const {
        if (folds > 0 && fold >= folds) {
            return {{"fold", fmt::format("must be below the number of folds, which is {}", folds)}};
        }
        return {};
    }

    [[nodiscard]] bool is_in_order() const { return part == "validation"; }
};

struct KFoldRandomSampler : Folds {
    static constexpr std::string_view kName = "kFoldRandomSampler";
    static constexpr std::string_view kHelp = "the folds of a cross-validation";
};

}  // namespace ptp::experiment
