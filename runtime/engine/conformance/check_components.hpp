// Runs the components of a plugin for its author, and reports what is wrong with them.

#pragma once

#include "engine/check_request.hpp"

namespace ptp::engine {

// All components of the plugin, each in a process of its own, so that a crash ends no more than
// that. Throws plugin::LoadError.
void check_components(const CheckRequest& request, CheckResult& result);

}  // namespace ptp::engine
