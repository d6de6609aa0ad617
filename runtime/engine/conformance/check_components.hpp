// Runs the components of a plugin for its author, and reports their errors.

#pragma once

#include "engine/check_request.hpp"

namespace ptp::engine {

// Checks all components of the plugin, each in a process of its own, so that a crash affects only
// that component. Throws plugin::LoadError.
void check_components(const CheckRequest& request, CheckResult& result);

}  // namespace ptp::engine
