// The folder in which a run begins or continues, and where one that is resumed continues.

#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/request.hpp"
#include "run/run_folder.hpp"

#include <filesystem>
#include <memory>

namespace ptp::engine {

// A new folder, which is removed if the start of this one process is refused for the experiment or
// its data; or the one of the run that continues. nullptr for a process that trains together with
// others and is not the first.
std::unique_ptr<run::RunFolder> folder_of_run(const RunRequest& request);

// The checkpoint that is asked for, or the newest whole one; that before a limit where the training
// continues beyond it. Throws RunError, with kDataError where it is damaged.
Checkpoints::Found resume_point(const RunRequest& request, const std::filesystem::path& run_folder,
                                Checkpoints& checkpoints);

}  // namespace ptp::engine
