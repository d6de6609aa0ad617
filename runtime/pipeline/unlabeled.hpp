// A section whose task gets samples without targets, in place of the data of the experiment.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <vector>

namespace ptp::pipeline {

// The setting for samples without targets, such as `files`; nullptr where the task has none.
const plugin::Setting* unlabeled_setting(const plugin::Component& component);

// Sets these files and folders for the task of the section, each of its samples once and in order.
// Reports a task that has no setting for samples without targets, and which tasks have one.
void give_unlabeled(experiment::Section& section, const std::vector<std::filesystem::path>& data,
                    const plugin::Catalog& catalog, Diagnostics& problems);

}  // namespace ptp::pipeline
