// Cross-validation: an experiment that holds one of several parts of its training set out, and
// validates on that.

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

// A setting of a task that determines which samples there are.
struct DataSetting {
    std::string name;
    std::optional<Value> default_value = {};
};

// Samplers of training and validation become the fold's samplers. The validation keeps its task, so
// that the samples that are held out look as there (without augmentation, for example); but its
// `data_settings` become those of the training. One that is replaced is warned of, and so is a task
// of another type, which is replaced as a whole. All other sections with the samples of the
// training get the fold that is held out as well, with a warning. A sampler that is not k-fold is
// reported; one of a share of the samples gives way to the folds, with a warning; one that groups
// all samples by length becomes one that groups those outside of the fold, and those in it.
void make_fold(Experiment& experiment, const Fold& fold,
               const std::vector<DataSetting>& data_settings, Diagnostics& problems);

}  // namespace ptp::experiment
