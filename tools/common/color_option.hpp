// The option `--color auto|always|never`, which all programs accept anywhere on the command line.

#pragma once

#include <string>
#include <vector>

namespace ptp::tools {

// Moves the option from the command line to the environment, so that child processes inherit it.
// The last one counts. Throws boost::program_options::error.
void take_color_option(std::vector<std::string>& arguments);

}  // namespace ptp::tools
