// The commands of ptprun. Each takes the words after its name, says what it has to say on the
// standard output, what is wrong on the standard error, and returns the exit code.
// boost::program_options::error is for the caller.

#pragma once

#include <string>
#include <vector>

namespace ptp::ptprun {

using Arguments = std::vector<std::string>;

// Trains: what ptprun does with a file and no command.
int run_command(const Arguments& arguments);
std::string run_help();

// Whether an experiment could run, as far as that can be known without libtorch.
int check_command(const Arguments& arguments);
std::string check_help();

// The pipeline as text or as a picture.
int draw_command(const Arguments& arguments);
std::string draw_help();

}  // namespace ptp::ptprun
