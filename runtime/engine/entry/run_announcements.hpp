// The messages of a run to users at its start and at its end.

#pragma once

#include "engine/component/host.hpp"
#include "engine/component/profiler.hpp"
#include "engine/output/console.hpp"
#include "engine/request.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/training_session.hpp"

#include <spdlog/logger.h>

#include <filesystem>

namespace ptp::engine {

// Prints what is trained, on which data and classes, and where it is recorded.
void announce_training(const TrainingSession& session, const ComponentContext& component_context,
                       const RunRequest& request, const std::filesystem::path& run,
                       Console& console);

// Prints why the training has ended, its best validation, and the optimizer's report.
void announce_end(const TrainingSession& session, const std::string& reason,
                  const Measurement& best, Console& console);

// Writes the times of the profiler: to the console, and each activity to the file.
void write_profile(const Profiler& profiler, const std::filesystem::path& file, Console& console,
                   spdlog::logger& log);

}  // namespace ptp::engine
