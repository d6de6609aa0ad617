// `--color auto|always|never`, which all programs take, anywhere on the command line.

#pragma once

#include <string>
#include <vector>

namespace ptp::tools {

// Takes it out of the command line and into the environment, so that it holds for programs that are
// started too. The last one counts. Throws boost::program_options::error.
void take_color_option(std::vector<std::string>& arguments);

}  // namespace ptp::tools
