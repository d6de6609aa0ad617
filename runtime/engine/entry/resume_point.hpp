// Where a run that is resumed continues.

#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/request.hpp"

#include <filesystem>

namespace ptp::engine {

// The checkpoint that is asked for, or the newest whole one; that before a limit where the training
// continues beyond it. Throws RunError, with kDataError where it is damaged.
Checkpoints::Found resume_point(const RunRequest& request, const std::filesystem::path& run_folder,
                                Checkpoints& checkpoints);

}  // namespace ptp::engine
