// The settings of a task that determine which samples there are, not what they look like.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fold.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::pipeline {

// Paths, what the declared number of samples follows from, and by convention `use_train_data`,
// `split`, `subset`, `seed`, `dataset`, `categories`, `classes`, `lines`, `sentence_length` and
// `stride`. Empty for a type that no plugin has.
std::vector<experiment::DataSetting> data_settings(const experiment::TaskEntry& task,
                                                   const plugin::Catalog& catalog);

// Sets what the task would otherwise take from the name of its section: `split` or `subset`, where
// it can be the one of [training] and is not given.
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
