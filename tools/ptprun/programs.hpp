// Programs beside ptprun: `ptprun NAME ...` is `ptp-NAME ...` where NAME is no command. They are in
// ptprun's own folder, or in one of PATH.

#pragma once

#include "commands.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::ptprun {

// Returns the program that `ptprun NAME` starts; nullopt if there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Replaces this process by the program, which has the same standard streams and environment. Throws
// RunError if it cannot be started.
[[noreturn]] void become(const std::filesystem::path& program, const Strings& arguments);

// As become(), for a program in ptprun's own folder: "ptp-search".
[[noreturn]] void run_beside(const std::string& program, const Strings& arguments);

// Returns the lines of the help about the programs: those of ptprun's own folder with what they
// say of themselves (common/program_summary.hpp), which is read and not run, and those of PATH by
// name; "" if there are none.
std::string overview_of_programs();

}  // namespace ptp::ptprun
