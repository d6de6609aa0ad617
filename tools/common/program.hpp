// Declares what the programs share around their commands: output that is whole or an error, errors,
// the options `--color WHEN` and `-o FILE`, and a program of one command.
#pragma once

#include "base/error.hpp"
#include "common/command.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::tools {

// Thrown with a sentence where the standard output cannot be written, with kTrainingError.
struct OutputError : RunError {
    using RunError::RunError;
};

// Prints to the standard output. Throws OutputError, because an incomplete text is useless.
void print(const std::string& text);

// Prints each error to the standard error; an indented line belongs to the error before it. Returns
// `code`.
int complain(std::string_view program, std::string_view text, int code);

// Runs a program of one command: prints its help, which `exit_codes` ends, or its version, or runs
// it, and prints what it throws. Returns the exit code.
struct Program {
    std::string_view name;
    const Command& command;
    std::string_view exit_codes;  // "0 done, 2 wrong command line"
    Advice advice = {};           // on unknown options
};
int run_program(const Program& program, const Strings& words);

// Moves `--color auto|always|never` from the command line to the environment, so that child
// processes inherit it. The last one counts. Throws boost::program_options::error.
void take_color_option(std::vector<std::string>& arguments);

// Returns the file to write, following links. Throws UsageError for a folder, a pipe or a device,
// for a file in a folder that is missing or not writable, and for one that is there with another
// ending than these, "svg png", because it cannot be an earlier result.
std::filesystem::path output_file(const std::filesystem::path& named, std::string_view endings);

// Sets or replaces an environment variable of this process and its children. No other thread may
// read the environment meanwhile. [main]
void set_variable(const char* name, const std::string& value);

}  // namespace ptp::tools
