// Whether a component continues after an interruption as if there had been none: what it keeps from
// step to step must be in its tensors, in what it exports or in the random generator of the host.

#pragma once

#include "engine/conformance/attempt.hpp"

#include <ptp/abi.h>

#include <filesystem>
#include <string>

namespace ptp::engine {

// Runs it on made-up values: once over all steps, and once with an interruption, where another
// instance takes over. A sentence if that makes a difference, else "". `folder` is for what
// it writes. REQUIRES: the attempt has a pipeline. Throws RunError where it does not run as far.
std::string interruption_problem(const Attempt& attempt, const ptp_component_info& info,
                                 const std::filesystem::path& folder);

}  // namespace ptp::engine
