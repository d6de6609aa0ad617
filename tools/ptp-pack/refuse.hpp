// How this program refuses: an error with a reason, a fix and an exit code.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"

namespace ptp::pack {

using Refusal = WithFix<RunError>;

// What is refused is the command line (kConfigurationError), what does not fit this host
// (kPluginError), what a file holds (kDataError), or what the system does not do (kTrainingError).
[[noreturn]] inline void refuse(ExitCode code, const Explanation& why) {
    throw Refusal(code, why);
}

}  // namespace ptp::pack
