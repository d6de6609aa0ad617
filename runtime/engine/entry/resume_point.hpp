// The folder in which a run begins or continues, and the checkpoint where a resumed one continues.

#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/request.hpp"
#include "run/run_folder.hpp"

#include <filesystem>
#include <memory>

namespace ptp::engine {

// Returns a new folder, which is removed if the start of this single process is refused because of
// the experiment or its data; or the folder of the run that continues. Returns nullptr for a
// process that trains together with others and is not the first.
std::unique_ptr<run::RunFolder> folder_of_run(const RunRequest& request);

// Returns the requested checkpoint, or the newest whole one; the one before a limit if the training
// continues beyond it. Throws RunError, with kDataError if it is damaged.
Checkpoints::Found resume_point(const RunRequest& request, const std::filesystem::path& run_folder,
                                Checkpoints& checkpoints);

}  // namespace ptp::engine
