// Reports an error with a reason, a fix and an exit code.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"

namespace ptp::pack {

using Refusal = WithFix<RunError>;

// Throws for an error in the command line (kConfigurationError), in what does not fit this host
// (kPluginError), in the content of a file (kDataError), or of the system (kTrainingError).
[[noreturn]] inline void refuse(ExitCode code, const Explanation& why) {
    throw Refusal(code, why);
}

}  // namespace ptp::pack
