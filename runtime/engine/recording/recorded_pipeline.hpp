// A pipeline around a build of a recorded component: a task that exists only in the plan writes the
// streams that it reads, and publishes the globals.

#pragma once

#include "engine/recording/recording_file.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>

namespace ptp::engine {

struct RecordedPipeline {
    // The recording must outlive it. Throws RunError with kPluginError if the build cannot be used
    // like the recorded one.
    RecordedPipeline(const Recording& recording, const plugin::CatalogEntry& plugin,
                     const std::filesystem::path& home);
    ~RecordedPipeline() = default;
    RecordedPipeline(const RecordedPipeline&) = delete;
    RecordedPipeline& operator=(const RecordedPipeline&) = delete;

    [[nodiscard]] const pipeline::Node& node() const {
        return plan.nodes.empty() ? plan.tasks.front() : plan.nodes.front();
    }

    plugin::Catalog catalog;
    experiment::Experiment experiment;
    pipeline::Plan plan;
};

}  // namespace ptp::engine
