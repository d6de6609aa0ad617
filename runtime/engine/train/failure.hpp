// Whatever ends a run, as the engine's own exception.

#pragma once

#include "base/error.hpp"

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace ptp::engine {

// What libtorch reports, with a fix where memory was refused.
std::string torch_text(const c10::Error& error);

// A RunError stays what it is; anything else gets kTrainingError and a sentence for a person.
RunError as_run_error(const std::exception& error);

}  // namespace ptp::engine
