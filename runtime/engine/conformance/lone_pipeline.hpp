// A pipeline around one component: streams and globals that it reads come from a task that exists
// in the plan only, of sizes that are made up and fit each other.

#pragma once

#include "base/value.hpp"
#include "engine/conformance/guess.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// A component to try, as an experiment would have it.
struct CheckedComponent {
    const plugin::CatalogEntry& plugin;
    const plugin::Component& component;
    const experiment::ComponentEntry& entry;  // with its settings, and names of globals
    std::filesystem::path home = {};          // what "~" expands to
};

struct LonePipeline {
    // Throws std::runtime_error, which states why there is no pipeline. The plugin must outlive it.
    LonePipeline(const CheckedComponent& candidate, const Guess& guess);
    LonePipeline(const LonePipeline&) = delete;
    LonePipeline& operator=(const LonePipeline&) = delete;

    [[nodiscard]] const pipeline::Node& node() const {
        return plan.nodes.empty() ? plan.tasks.front() : plan.nodes.front();
    }

    // Two with the same text are of the same sizes and constants.
    [[nodiscard]] std::string text() const;

    Guess guess;
    plugin::Catalog catalog;
    pipeline::Plan plan;  // with all sizes but those that only the created component knows; the
                          // catalog must outlive a copy
    std::vector<Member> globals;  // to be published before the component is created
};

}  // namespace ptp::engine
