// Whatever ends a run, as the engine's own exception.

#pragma once

#include "base/error.hpp"

#include <exception>

namespace ptp::engine {

// A RunError stays what it is; anything else gets kTrainingError and a sentence for a person.
RunError as_run_error(const std::exception& error);

}  // namespace ptp::engine
