// The settings of a task that determine which samples there are, not what they look like.

#pragma once

#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A setting of a task that determines its samples.
struct DataSetting {
    std::string name;
    std::optional<Value> default_value = {};
};

// Paths, what the declared number of samples follows from, and by convention `use_train_data`,
// `split`, `subset`, `seed`, `dataset`, `categories`, `classes`, `lines`, `sentence_length` and
// `stride`. Empty for a type that no plugin has.
std::vector<DataSetting> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog);

// Sets what the task would otherwise take from the name of its section: `split` or `subset`, where
// it can be the one of [training] and is not given.
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
