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

class TrainingSession;

struct RunRecord {
    const RunRequest& request;
    std::string experiment;
    std::int64_t seed = 0;
    at::Device device = at::kCPU;
    Value plugins;
    std::string experiment_hash;  // SHA-256 of the experiment at the start, see stages.hpp
};

// Throws RunError with kConfigurationError for an experiment that is not UTF-8 text: a path in it
// may contain folders whose names are not checked, such as HOME.
void refuse_unreadable(const std::string& experiment);

// Writes the record of a new run into its folder. Returns a sentence for each model with whose
// weights it begins and whose history could not be recorded. Throws RunError.
std::vector<std::string> write_run_record(const std::filesystem::path& run,
                                          const RunRecord& record);

// Adds this process to the record of a run that continues. Returns a sentence for each difference
// from the start of the run; its numbers may differ in their last bits. Throws RunError, with
// kConfigurationError if experiment.toml is another.
std::vector<std::string> extend_run_record(const std::filesystem::path& run,
                                           const RunRecord& record);

// Logs the samples that components which are tried in turn took and refused in all processes, and
// adds them to the part of the newest process in the record of the run's folder. Warns where that
// fails, also if another process is lost: then it logs those of this one.
void finish_tried(TrainingSession& session, const std::filesystem::path& run);

// Returns a sentence for each difference from the start of that run, which another run repeats.
// Throws RunError.
std::vector<std::string> differences_from(const std::filesystem::path& run, at::Device device,
                                          const BlasKernels& kernels);

// Returns the number of the first epoch in the tables of the folder: 0 if an older ptp began them.
// Throws RunError.
std::uint64_t first_epoch(const std::filesystem::path& run);

}  // namespace ptp::engine
