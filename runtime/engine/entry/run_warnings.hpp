// Warnings before a run trains that no check has found.

#pragma once

#include "engine/component/host.hpp"
#include "engine/request.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/class_counts.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <string>
#include <vector>

namespace ptp::engine {

// Warns where the numbers of a replay will differ from those of the replayed run. `experiment` and
// `device` are those of the replay. Nothing for a request that is not a replay.
void warn_of_replay(const RunRequest& request, const experiment::Experiment& experiment,
                    at::Device device, spdlog::logger& log);

// Warns of losses that get a score for more classes than there are, which is known since the
// components were created. `known`: what the check has said already. Throws RunError for fewer,
// unless the training's sampler chooses its samples, which may be of fewer classes.
void check_classes(const ComponentContext& context, const experiment::Section& training,
                   const std::vector<pipeline::ClassCountProblem>& known, spdlog::logger& log);

// Warns of batches that are larger than the set, of a training that cannot be repeated, of a
// schedule that does not end with it, and of what the machine makes slow.
void warn_of_training(const TrainingSession& session, spdlog::logger& log);

}  // namespace ptp::engine
