// The messages of a run to users, before it trains and at its end.

#pragma once

#include "base/error.hpp"
#include "engine/component/host.hpp"
#include "engine/component/profiler.hpp"
#include "engine/output/console.hpp"
#include "engine/request.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/sizes.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// Prints what is trained, on which data and classes, and where it is recorded.
void announce_training(const TrainingSession& session, const ComponentContext& component_context,
                       const RunRequest& request, const std::filesystem::path& run,
                       Console& console);

// Returns the warning of a resume that finds no checkpoint, after N epochs that had begun.
std::string begins_again_text(std::int64_t epochs);

// Returns the line of a resume from a checkpoint after `done` episodes of a run that had `before`.
// `is_chosen`: the user has named the checkpoint.
std::string continuing_text(std::uint64_t done, std::int64_t before,
                            const std::filesystem::path& checkpoint, bool is_chosen);

// Prints why the training has ended, its best validation, and the optimizer's report.
void announce_end(const TrainingSession& session, const std::string& reason,
                  const run::Measurement& best, Console& console);

// Writes the times of the profiler: to the console, and each activity to the file.
void write_profile(const Profiler& profiler, const std::filesystem::path& file, Console& console,
                   spdlog::logger& log);

// Warns where the numbers of a replay will differ from those of the replayed run. `experiment` and
// `device` are those of the replay. Nothing for a request that is not a replay.
void warn_of_replay(const RunRequest& request, const experiment::Experiment& experiment,
                    at::Device device, spdlog::logger& log);

using ClassCounts = std::vector<pipeline::ClassCountProblem>;

// Warns of losses that get a score for more classes than there are, which is known since the
// components were created, and returns all such problems. `known` are those that the check of the
// experiment has reported already. Throws RunError for fewer, unless the training's sampler chooses
// its samples, which may be of fewer classes.
ClassCounts check_classes(const ComponentContext& context, const experiment::Section& training,
                          const ClassCounts& known, spdlog::logger& log);

// Returns as_run_error(); that of a target for which a loss has no score, with the fix of these
// problems.
RunError with_class_fix(const std::exception& failure, const ClassCounts& problems);

// Warns of batches that are larger than the set, or too small for all processes to have a sample.
void warn_of_batch_size(const TrainingSession& session, spdlog::logger& log);

// Warns of that, of a training that cannot be repeated, of a
// schedule that does not end with it, and of what the machine makes slow.
void warn_of_training(const TrainingSession& session, const RunRequest& request,
                      spdlog::logger& log);

}  // namespace ptp::engine
