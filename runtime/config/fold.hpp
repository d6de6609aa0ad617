// Cross-validation: an experiment that holds one of several parts of its training set out, and
// validates on that.

#pragma once

#include "config/diagnostics.hpp"
#include "config/experiment.hpp"

#include <cstdint>

namespace ptp::config {

struct Fold {
    std::int64_t number = 0;  // below `count`
    std::int64_t count = 2;
};

// Samplers of training and validation become those of the fold, and the validation's task becomes
// that of the training: a task with other settings is replaced with a warning. A sampler that is not
// k-fold is reported.
void make_fold(Experiment& experiment, const Fold& fold, Diagnostics& problems);

}  // namespace ptp::config
