// Reads command lines with Boost.Program_options. What is wrong is told in sentences of ours.

#pragma once

#include <boost/program_options.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ptp::tools {

struct CommandLine {
    const std::vector<std::string>& arguments;
    const boost::program_options::options_description& options;
    const boost::program_options::positional_options_description& positions;
    // (optional) What to say besides of an unknown option, "--epochs": "\n    fix: ...", or "".
    std::function<std::string(const std::string& option)> advice = {};
};

// Throws boost::program_options::error. Options are written in full: an abbreviation would change
// its meaning when an option is added.
boost::program_options::variables_map read(const CommandLine& line);

}  // namespace ptp::tools
