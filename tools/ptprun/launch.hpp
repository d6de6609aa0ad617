// Runs a training in processes that this one starts and supervises.

#pragma once

#include "commands.hpp"
#include "host/prepare.hpp"

#include <filesystem>

namespace ptp::ptprun {

struct TrainingLaunch {
    const host::Prepared& prepared;    // read by all processes
    std::filesystem::path run_folder;  // of a resume; otherwise empty
};

// Starts all processes with the words of this command line; after a failure with those of a resume.
// Prints to standard error which process failed, and the reaction. Returns the exit code.
int launch_training(const Given& given, const TrainingLaunch& training);

// Returns the folder of the run if a launcher has created it; otherwise empty. [any]
std::filesystem::path launched_run_folder();

}  // namespace ptp::ptprun
