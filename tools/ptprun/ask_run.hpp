// Sends a request to a running training, and prints its reply.

#pragma once

#include "commands.hpp"
#include "control/protocol.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// --timeout and --json.
std::vector<Option> asking_options();

// `run` names it on the command line. Prints the reply on the standard output,
// and errors on the standard error. Returns the exit code. Throws UsageError
// for a word that names no run.
int ask_run(const std::string& run, const control::Request& request, const Given& given);

}  // namespace ptp::ptprun
