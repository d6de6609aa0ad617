#pragma once

#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <vector>

namespace ptp::test {

struct ProcessResult {
    int status = 0;  // exit status; of a process that a signal ended, 128 more than the signal
    std::string output;
    std::string errors;
};

// RLIMIT_NOFILE or another of setrlimit(), and its value.
struct Limit {
    int resource = 0;
    std::uint64_t value = 0;
};

// What execv() takes: pointers into the words, and a null pointer.
std::vector<char*> pointers_to(std::vector<std::string>& words);

// Runs a program of the build, such as "ptp-inspect", with nothing to read and no terminal. The
// environment is this process's without PTP_PLUGIN_PATH, and with these variables; the limits are
// its own. Throws std::runtime_error if it cannot be started.
ProcessResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment = {},
                          const std::vector<Limit>& limits = {});

// Runs ptprun on one thread.
ProcessResult ptprun(const std::vector<std::string>& arguments);

// Requires that the program has ended well and reports nothing. A failure names the line of the
// call.
void require_success(const ProcessResult& result,
                     const std::source_location& where = std::source_location::current());

// Errors without the lines of source that are shown below them, for tests of what they say.
std::string without_excerpts(const std::string& errors);

}  // namespace ptp::test
