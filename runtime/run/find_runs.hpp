// Finds the folders that are runs.

#pragma once

#include "run/process.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <vector>

namespace ptp::run {

// Returns whether a folder has the files of a run.
bool is_run(const std::filesystem::path& folder);

// Returns the run at `folder`, or all runs below it, by their names. Does not follow links to
// folders. An unreadable folder is returned as a run with a problem.
std::vector<Run> find_runs(const std::filesystem::path& folder, const Machine& machine);

}  // namespace ptp::run
