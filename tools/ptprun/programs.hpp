// Programs beside ptprun: `ptprun NAME ...` is `ptp-NAME ...` where NAME is no command. They are in
// ptprun's own folder, or in one of PATH.

#pragma once

#include "commands.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns the program that `ptprun NAME` starts; nullopt if there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Returns the names of the programs in ptprun's own folder.
std::vector<std::string> programs_beside();

// Returns the lines of the help about the programs: those of ptprun's own folder with the line that
// their file has behind "@ptprun-help: ", which is read and not run, and those of PATH by name; ""
// if there are none.
std::string overview_of_programs();

}  // namespace ptp::ptprun
