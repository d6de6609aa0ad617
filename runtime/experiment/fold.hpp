// Cross-validation: an experiment that holds out one of several parts of its training set, and
// validates on it.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

struct Fold {
    std::int64_t number = 0;  // below `count`
    std::int64_t count = 2;
};

// A setting of a task that determines its samples.
struct DataSetting {
    std::string name;
    std::optional<Value> default_value = {};
};

// Replaces the samplers of training and validation by the fold's samplers. The validation keeps its
// task, so that its samples are loaded as before (without augmentation, for example); but its
// `data_settings` become those of the training. A replaced setting causes a warning, and so does a
// task of another type, which is replaced as a whole. All other sections with the samples of the
// training also use the held-out fold, with a warning. A sampler that is not k-fold is reported;
// one of a share of the samples is replaced by the folds, with a warning, and by folds with the
// classes in the same proportions if the share has; one that groups all samples by length is
// replaced by one that groups the samples outside of the fold, and those in it.
void make_fold(Experiment& experiment, const Fold& fold,
               const std::vector<DataSetting>& data_settings, Diagnostics& problems);

}  // namespace ptp::experiment
