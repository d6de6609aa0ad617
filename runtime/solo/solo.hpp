// The functions behind requests about one component alone: to check it, to list its tensors, to
// replay a recording. The symbols of the engine's library that call them are in entry.cpp.

#pragma once

#include "engine/solo_requests.hpp"

namespace ptp::solo {

// Runs each component of the plugin on made-up values, in a separate process for each rule. Throws
// plugin::LoadError.
void check_components(const engine::CheckRequest& request, engine::CheckResult& result);

// Finds the tensors and the state of a plugin's components. Throws plugin::LoadError.
void find_layouts(const engine::LayoutRequest& request, engine::LayoutResult& result);

// Runs a build of a component on a recording, in a process of its own. Throws nothing that is the
// plugin's or the recording's fault: the result reports it.
void replay_recording(const engine::ReplayRequest& request, engine::ReplayResult& result);

}  // namespace ptp::solo
