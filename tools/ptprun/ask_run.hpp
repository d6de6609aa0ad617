// Sends a request to a running training, and prints its reply.

#pragma once

#include "commands.hpp"
#include "control/protocol.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns --timeout and --json.
std::vector<Option> asking_options();

// Sends a request to the run named `run` on the command line. Prints the reply to the standard
// output, and errors to the standard error. Returns the exit code. Throws UsageError for a word
// that names no run.
int ask_run(const std::string& run, const control::Request& request, const Given& given);

}  // namespace ptp::ptprun
