// `ptp-inspect replay`: a build of a component is fed with a recording, in a process of its own.

#pragma once

#include "engine/replay_request.hpp"

namespace ptp::engine {

// Throws nothing that is the plugin's or the recording's fault: that is in the result.
void replay_recording(const ReplayRequest& request, ReplayResult& result);

}  // namespace ptp::engine
