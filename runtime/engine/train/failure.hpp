// Converts whatever ends a run to the engine's own exception.

#pragma once

#include "base/error.hpp"

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace ptp::engine {

// Returns libtorch's message, with a fix if memory was refused.
std::string torch_text(const c10::Error& error);

// Returns a RunError unchanged, anything else with kTrainingError and a sentence for users.
RunError as_run_error(const std::exception& error);

}  // namespace ptp::engine
