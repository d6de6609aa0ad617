// The settings of a task that determine which samples there are, not what they look like.

#pragma once

#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Names of settings: paths, what the declared number of samples follows from, and by convention
// `use_train_data`, `split` and `seed`. Empty for a type that no plugin has.
std::vector<std::string> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog);

// Sets what the task would otherwise take from the name of its section: `split`, where it can be
// the one of [training] and is not given.
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
