// A training in processes that this one starts and watches over.

#pragma once

#include "commands.hpp"
#include "host/prepare.hpp"

#include <filesystem>

namespace ptp::ptprun {

struct TrainingLaunch {
    const host::Prepared& prepared;    // what all of them will read
    std::filesystem::path run_folder;  // of a resume; else empty
};

// All processes get the words of this one's command line; after a failure those of a resume. Prints
// to standard error which process failed, and what is done about it. Returns the exit code.
int launch_training(const Given& given, const TrainingLaunch& training);

// The folder of the run, where a launcher has made it; else empty. [any]
std::filesystem::path launched_run_folder();

}  // namespace ptp::ptprun
