// Which folders are runs.

#pragma once

#include "run/process.hpp"
#include "run/run.hpp"

#include <filesystem>
#include <vector>

namespace ptp::run {

// Whether a folder has the files of a run.
bool is_run(const std::filesystem::path& folder);

// The run at `folder`, or all runs below it, by their names. Links to folders are not followed. A
// folder that cannot be searched is a run with a problem.
std::vector<Run> find_runs(const std::filesystem::path& folder, const Machine& machine);

}  // namespace ptp::run
