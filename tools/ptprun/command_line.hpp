// Parses and runs the commands of ptprun, and declares those that ptp-search and ptp-runs run.

#pragma once

#include "commands.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// The program beside ptprun that trains an experiment several times.
inline constexpr const char* kSearchProgram = "ptp-search";

// The program beside ptprun that lists and compares runs.
inline constexpr const char* kRunsProgram = "ptp-runs";

// The program that writes reports of runs and draws their curves.
inline constexpr const char* kReportProgram = "ptp-report";

// The names of commands that are not typed: `ptprun EXPERIMENT.toml` with several values of one
// --set, or with --swap-check.
inline constexpr const char* kSweep = "sweep";
inline constexpr const char* kSwapCheck = "swap-check";

Command search_command();
Command cv_command();
// Returns the command kSweep or kSwapCheck, with the options of a training.
Command training_command(const char* name);

Command runs_command();
Command diff_command();

// Declare `ptprun report` and `ptprun plot`.
Command report_command();
Command plot_command();

// Returns the command with this function to run it, for the program that has the function.
Command run_by(Command command, int (*run)(const Given&));

// Lets SIGUSR1 end the process as SIGTERM does, until a training takes signals itself. To be called
// first.
void take_signals();

// Returns the path of a program in the folder of this one.
std::filesystem::path beside(const std::string& program);

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

// Does as become(), for a program in the folder of this one: "ptp-search".
[[noreturn]] void become_beside(const std::string& program, const std::string& command,
                                const Strings& words);

}  // namespace ptp::ptprun
