// run.json in a run's folder: with what a run was made, so that it can be made again.

#pragma once

#include "base/value.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// Keys: format (2; without it the epochs in the folder's tables count from 0), experiment, experiment_sha256, seed, device, plugins (name, version, sha256 of each), git
// (commit, clean; null outside of a repository), machine (see machine_record.hpp) and processes
// (began, command_line, pid, host, kernel of each process that worked on the run).
struct RunRecord {
    const RunRequest& request;
    std::string experiment;
    std::int64_t seed = 0;
    at::Device device = at::kCPU;
    Value plugins;
    std::string experiment_hash;  // SHA-256 of what the run began with, see stages.hpp
};

// Throws RunError with kConfigurationError for an experiment that is not UTF-8 text: a path in it may be made of folders
// whose names nobody has checked, such as HOME.
void refuse_unreadable(const std::string& experiment);

// For a new run. Throws RunError.
void write_run_record(const std::filesystem::path& file, const RunRecord& record);

// For one that continues: adds this process. Gives a sentence for each thing that was another when
// the run began, because of which its numbers may differ in their last bits. Throws RunError; with
// kPluginError if a plugin is not the one that the run began with, with kConfigurationError if
// experiment.toml is another.
std::vector<std::string> extend_run_record(const std::filesystem::path& file,
                                           const RunRecord& record);

// A sentence for each thing that was another when that run began, for one that is to repeat it.
// Throws RunError.
std::vector<std::string> differences_from(const std::filesystem::path& file, at::Device device);

// The number that the first epoch has in the tables of the folder: 0 where an older ptp began them.
// Throws RunError.
std::uint64_t first_epoch(const std::filesystem::path& file);

}  // namespace ptp::engine
