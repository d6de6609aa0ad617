// The settings of a task that determine which samples there are, not what they look like.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fold.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::pipeline {

// Returns paths, and what the declared number of samples follows from: with "if($subset, *, *)" a
// task states that `subset` decides it, though the number itself is not known. Empty for a type that
// no plugin has.
std::vector<experiment::DataSetting> data_settings(const experiment::TaskEntry& task,
                                                   const plugin::Catalog& catalog);

// Sets what the task would otherwise take from the name of its section: such a setting that is not
// given, has no default, and can be "training" or "train".
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
