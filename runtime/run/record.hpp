// run.json: how a run was made, so that it can be reproduced.
//
// Keys: format (2; 1 has none, and then the epochs in the folder's tables count from 0),
// experiment, experiment_sha256, seed, device, plugins (name, version, sha256 of each), trial
// ("overfit", "fast_dev_run" or null), git (commit, clean and the problem; null outside of a
// repository), machine (see engine/train/system_info.hpp), lineage (the models with whose weights
// it began, see bundle/history.hpp; null if there are none) and processes (began, command_line,
// pid, host, kernel and device of each process that worked on the run; for the first of several
// that train together, or one that was restarted, also ranks, their number, launcher, restart, the
// attempt, and restart_reason, null for the first attempt; of one that has ended, and that tries
// components in turn, `tried` has how many samples each has taken and refused, { day = { iso = {
// taken, refused } } }).

#pragma once

#include "base/value.hpp"
#include "run/format.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::run {

// The state of the git repository that contains an experiment.
struct GitState {
    std::string commit = {};            // "" without a repository, or if unknown
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
    std::string device;  // "cpu", "cuda:0"; absent in records of older versions
    std::int64_t ranks = 1;
    std::string launcher = {};
    std::int64_t restart = 0;
    std::string restart_reason = {};
};

struct Record {
    std::int64_t format = kRecordFormat;
    std::string experiment;         // name of the experiment
    std::string experiment_sha256;  // of the text at the start of the run
    std::int64_t seed = 0;
    std::string device;               // that of the first process
    Value plugins = Value::list({});  // tables
    std::string trial;                // "" for a real run
    Value git;                        // a table; empty outside of a repository
    Value machine;                    // a table
    Value lineage = Value::table();   // a table; empty for a run that began with no weights
    Value processes = Value::list({});

    // True if the record has everything for a resume and a replay; missing values and values of
    // another type are empty.
    bool is_whole = true;
};

// The key in the machine's table for the number of threads.
inline constexpr const char* kThreads = "threads";

Value value_of(const GitState& git);
Value value_of(const ProcessRecord& process);

// Parses the text of the file; `file` is for errors. Throws NewerFormat, and RunError with
// kDataError for anything but a JSON object.
Record record_from(const std::string& text, const std::filesystem::path& file);

// Throws as record_from() and read_text() do, and RunError for an incomplete record.
Record read_record(const std::filesystem::path& file);

// Replaces the whole file; a record of format 1 keeps its format. Throws RunError.
void write_record(const std::filesystem::path& file, const Record& record);

}  // namespace ptp::run
