// run.json: with what a run was made, so that it can be made again.
//
// Keys: format (2; 1 has none, and then the epochs in the folder's tables count from 0),
// experiment, experiment_sha256, seed, device, plugins (name, version, sha256 of each), trial
// ("overfit", "fast_dev_run" or null), git (commit, clean and the problem; null outside of a
// repository), machine (see engine/train/system_info.hpp) and processes (began, command_line, pid,
// host, kernel and device of each process that worked on the run; of the first of several that
// train together, or that was started again, also ranks, how many they are, launcher, restart, how
// often, and restart_reason, null for the first attempt).

#pragma once

#include "base/value.hpp"
#include "run/format.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::run {

// The state of the git repository that holds an experiment.
struct GitState {
    std::string commit = {};            // "" where there is no repository, and if unknown
    std::optional<bool> is_clean = {};  // nullopt: unknown, or no repository
    std::string problem = {};           // why something is unknown; "" if nothing is
};

// A process that works on a run.
struct ProcessRecord {
    std::string began;  // RFC 3339
    std::vector<std::string> command_line;
    std::int64_t pid = 0;
    std::string host;
    std::string kernel;
    std::string device;  // "cpu", "cuda:0"; absent in the records of older versions
    std::int64_t ranks = 1;
    std::string launcher = {};
    std::int64_t restart = 0;
    std::string restart_reason = {};
};

struct Record {
    std::int64_t format = kRecordFormat;
    std::string experiment;         // its name
    std::string experiment_sha256;  // of the text that the run began with
    std::int64_t seed = 0;
    std::string device;               // of the first process
    Value plugins = Value::list({});  // tables
    std::string trial;                // "" for a real run
    Value git;                        // a table; empty outside of a repository
    Value machine;                    // a table
    Value processes = Value::list({});

    // Whether it has what a resume and a replay need; what is missing or of another type is empty.
    bool is_whole = true;
};

// In the machine: with how many threads the run computed.
inline constexpr const char* kThreads = "threads";

Value value_of(const GitState& git);
Value value_of(const ProcessRecord& process);

// The content of the file's text; `file` is for errors. Throws NewerFormat, and RunError with
// kDataError for what is not a JSON object.
Record record_from(const std::string& text, const std::filesystem::path& file);

// Throws RunError, as read_text() does, too; and for a record that is not whole.
Record read_record(const std::filesystem::path& file);

// Replaces the file as a whole; a record of format 1 remains one. Throws RunError.
void write_record(const std::filesystem::path& file, const Record& record);

}  // namespace ptp::run
