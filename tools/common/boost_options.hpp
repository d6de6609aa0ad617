// Converts declared options to those of Boost.Program_options.

#pragma once

#include "common/command.hpp"

#include <boost/program_options/options_description.hpp>

#include <string>
#include <vector>

namespace ptp::tools {

boost::program_options::options_description boost_options(const std::vector<Option>& options,
                                                          const std::string& title = "");

}  // namespace ptp::tools
