// Asks a training that is running, and says what it answers.

#pragma once

#include "control/protocol.hpp"

#include <boost/program_options.hpp>

#include <string>

namespace ptp::ptprun {

// --timeout, --json and --help.
void add_asking_options(boost::program_options::options_description& options);

// `run` names it on the command line. Says the reply on the standard output, and what is wrong on the standard error. Gives the code to
// end with. Throws boost::program_options::error for options that make no sense.
int ask_run(const std::string& run, const control::Request& request,
            const boost::program_options::variables_map& options);

}  // namespace ptp::ptprun
