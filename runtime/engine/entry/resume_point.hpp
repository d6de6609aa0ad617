// The checkpoint where a resumed run continues.

#pragma once

#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/request.hpp"

#include <filesystem>

namespace ptp::engine {

// Returns the requested checkpoint, or the newest whole one; the one before a limit if the training
// continues beyond it. The first process searches, and renames damaged checkpoints. Throws
// RunError, with kDataError if it is damaged.
CheckpointFolder::Found resume_point(const RunRequest& request,
                                     const std::filesystem::path& run_folder,
                                     CheckpointFolder& checkpoints, Collective& processes);

}  // namespace ptp::engine
