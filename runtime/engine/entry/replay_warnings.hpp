// What a person must know about a run that repeats another one.

#pragma once

#include "engine/request.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

namespace ptp::engine {

// Warns where the numbers of a replay will differ from those of the replayed run. `experiment` and
// `device` are those of the replay. Nothing for a request that is not a replay.
void warn_of_replay(const RunRequest& request, const experiment::Experiment& experiment,
                    at::Device device, spdlog::logger& log);

}  // namespace ptp::engine
