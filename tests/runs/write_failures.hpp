// Programs that have some of their writes refused, as by a full disk, and nothing else fails.
#pragma once

#include "runs/support.hpp"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// Which writes, as tests/support/write_failures.c has it.
struct Refused {
    std::string files;            // a pattern for the whole path: "*/training.csv"
    std::uint64_t room = 0;       // bytes that are taken before
    int times = 0;                // then there is room again; 0: never
    int reason = ENOSPC;          // the error number
    std::string at = {};          // open, sync, close, rename or mkdir, instead of the write
    std::string written_in = {};  // a file that gets the paths of all files that are written
};

// False, with a message: a sanitizer must be the first library of a program, and this is another
// one.
bool can_refuse_writes();

// The environment of a program with one thread whose writes to these files fail.
std::map<std::string, std::string> refusing(const Refused& refused);

// Runs ptprun in it.
ProcessResult run_refused(const std::vector<std::string>& arguments, const Refused& refused);

// The same, without a refusal.
ProcessResult run_whole(const std::vector<std::string>& arguments);

// Every file below the folder that a run of ptprun with these arguments writes, each once, relative
// to the folder. REQUIRES that it ends with 0.
std::vector<std::string> files_written(const ExperimentFolder& folder, const std::string& name,
                                       const std::vector<std::string>& arguments);

// What stands after the last end of a line; "" where all lines are whole.
std::string cut_line(const std::string& text);

// Whether each folder that is named as a checkpoint has the hashes that it should have.
bool has_whole_checkpoints(const std::filesystem::path& run);

}  // namespace ptp::test
