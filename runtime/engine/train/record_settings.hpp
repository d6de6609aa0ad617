// The settings of a run's components, including defaults.

#pragma once

#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

namespace ptp::engine {

// Returns the experiment with all settings of its tasks and enabled components from the plan, so
// that its record keeps its meaning under a newer plugin with other defaults. REQUIRES: the plan
// was made from this experiment.
experiment::Experiment with_settings(experiment::Experiment experiment, const pipeline::Plan& plan);

// Calls `visit` with the settings of each task and component, and the path of its table.
template <class Visit>
void for_each_settings(experiment::Experiment& experiment, const Visit& visit) {
    for (experiment::Section* section : experiment::all_sections(experiment)) {
        visit(section->task.path, section->task.settings);
    }
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        visit(entry.path, entry.settings);
    }
}

}  // namespace ptp::engine
