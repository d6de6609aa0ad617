// Runs the commands of ptprun, and of the programs beside it that run some of them.

#pragma once

#include "commands.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Returns the exit code of a command that is there to print: half a table is not what was asked
// for.
int printed(int code);

// Parses the words after the command, applies --threads, and runs the command, or the program that
// does. Shows what is wrong with the words. `advice` answers unknown options.
int run_named(const Command& command, const Strings& words, const tools::Advice& advice = {});

// Returns what the work returns, or shows what it throws and returns the exit code for that.
int shown(const std::function<int()>& work);

// Runs a program beside ptprun, with these commands of ptprun. The first of the words is the name
// of one.
int run_beside_ptprun(const char* program, const std::vector<Command>& commands,
                      const Strings& words);

// Replaces this process by the program, which has the same standard streams and environment. Throws
// RunError if it cannot be started.
[[noreturn]] void become(const std::filesystem::path& program, const Strings& arguments);

// As become(), for a program in the folder of this one: "ptp-search".
[[noreturn]] void become_beside(const std::string& program, const std::string& command,
                                const Strings& words);

}  // namespace ptp::ptprun
