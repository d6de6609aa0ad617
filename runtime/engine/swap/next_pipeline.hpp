// The pipeline of a running training with newer plugins: planned and compared with the running one
// before any of their code runs.

#pragma once

#include "engine/component/globals.hpp"
#include "engine/component/host.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"
#include "plugin/staging.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// The data that components are created from. It must outlive them; see create_candidate().
struct NextPipeline {
    NextPipeline(plugin::Catalog catalog_in, const ComponentContext& current);
    ~NextPipeline() = default;
    NextPipeline(const NextPipeline&) = delete;
    NextPipeline& operator=(const NextPipeline&) = delete;

    plugin::Catalog catalog;             // the plugins in use; the plan points into it
    pipeline::Plan plan;                 // has the streams and the order of the running one
    Globals globals;                     // as published so far
    ComponentContext component_context;  // for the components that will run
    ComponentContext trial;              // for those that are only tried
    std::vector<bool> new_tasks;         // for each of Plan::tasks: whether its plugin is new
    std::vector<bool> new_nodes;
    std::vector<std::string> notes;  // the differences, for users
};

struct CurrentPipeline {
    const experiment::Experiment& experiment;  // the run's
    const pipeline::Plan& plan;
    const ComponentContext& component_context;
};

// Plans the pipeline. Components keep their settings, even if the new plugin has other defaults.
// Throws SwapError (inspect), which reports everything that does not fit. [main]
std::shared_ptr<NextPipeline> plan_next(const CurrentPipeline& current,
                                        const std::vector<plugin::Staged>& files);

// Copies sizes that are only known after components have been created, such as the number of
// classes that a task finds in its folder, from the running plan to the next one, if that lacks
// them, so that the two can be compared.
void complete_sizes(const pipeline::Plan& running, pipeline::Plan& next);

// Returns a line for each stream that differs, and one if the components run in another order. If
// empty, the components of one plan can replace those of the other.
std::vector<std::string> plan_differences(const pipeline::Plan& running,
                                          const pipeline::Plan& next);

}  // namespace ptp::engine
