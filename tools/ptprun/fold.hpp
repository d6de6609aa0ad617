// Cross-validation: an experiment that holds out one of several parts of its training set, and
// validates on it.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "host/prepare.hpp"
#include "pipeline/task_data.hpp"

#include <cstdint>
#include <vector>

namespace ptp::ptprun {

struct Fold {
    std::int64_t number = 0;  // below `count`
    std::int64_t count = 2;
    bool is_stratified = false;  // also where the experiment has no sampler, or one at random
};

// Replaces the samplers of training and validation by the fold's samplers. The validation keeps its
// task, so that its samples are loaded as before (without augmentation, for example); but its
// `data_settings` become those of the training. A task of another type is replaced as a whole,
// with a warning. All other sections with the samples of the
// training also use the held-out fold, with a warning. A sampler that is not k-fold is reported;
// one of a share of the samples is replaced by folds, with a warning, and by stratified folds if
// the share is stratified; one that groups all samples by length is replaced by one that groups the
// samples outside of the fold, and those in it. One that cannot be stratified is reported if that
// is asked for.
void make_fold(experiment::Experiment& experiment, const Fold& fold,
               const std::vector<pipeline::DataSetting>& data_settings, Diagnostics& problems);

// Applies make_fold() to the experiment of the request, once its plugins are known.
void hold_out(host::Request& request, const Fold& fold);

}  // namespace ptp::ptprun
