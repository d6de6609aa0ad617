// `ptp-inspect replay`: runs a build of a component on a recording, in a process of its own.

#pragma once

#include "engine/replay_request.hpp"

namespace ptp::engine {

// Throws nothing that is the plugin's or the recording's fault: the result reports it.
void replay_recording(const ReplayRequest& request, ReplayResult& result);

}  // namespace ptp::engine
