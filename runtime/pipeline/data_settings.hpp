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

// Returns paths, and what the declared number of samples follows from: with "if($subset, *, *)" a
// task states that `subset` decides it, though the number itself is not known. Empty for a type
// that no plugin has.
std::vector<DataSetting> data_settings(const experiment::TaskEntry& task,
                                       const plugin::Catalog& catalog);

// Returns the choice of a setting that is the training's part of the data, "training" or "train".
std::optional<std::string> choice_of_training(const plugin::Setting& setting);

// Sets what the task would otherwise take from the name of its section: such a setting that is not
// given, has no default, and can be "training" or "train".
void fix_split(experiment::TaskEntry& task, const plugin::Catalog& catalog);

}  // namespace ptp::pipeline
