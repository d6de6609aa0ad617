// Fills run.json in a run's folder (run/record.hpp).

#pragma once

#include "base/value.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

struct RunRecord {
    const RunRequest& request;
    std::string experiment;
    std::int64_t seed = 0;
    at::Device device = at::kCPU;
    Value plugins;
    std::string experiment_hash;  // SHA-256 of what the run began with, see stages.hpp
};

// Throws RunError with kConfigurationError for an experiment that is not UTF-8 text: a path in it
// may be made of folders whose names are not checked, such as HOME.
void refuse_unreadable(const std::string& experiment);

// For a new run, in its folder. Throws RunError.
void write_run_record(const std::filesystem::path& run, const RunRecord& record);

// For one that continues: adds this process. Returns a sentence for each thing that was another
// when the run began; its numbers may differ in their last bits. Throws RunError,
// with kConfigurationError if experiment.toml is another.
std::vector<std::string> extend_run_record(const std::filesystem::path& run,
                                           const RunRecord& record);

// A sentence for each thing that was another when that run began, for one that is to repeat it.
// Throws RunError.
std::vector<std::string> differences_from(const std::filesystem::path& run, at::Device device,
                                          const BlasKernels& kernels);

// The number that the first epoch has in the tables of the folder: 0 where an older ptp began them.
// Throws RunError.
std::uint64_t first_epoch(const std::filesystem::path& run);

}  // namespace ptp::engine
