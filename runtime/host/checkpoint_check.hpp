// Checks whether a checkpoint has the weights for a pipeline, as far as possible without reading
// them.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"

#include <filesystem>

namespace ptp::host {

// Reports, as missing data, missing files of the folder, and models of the plan that the run that
// wrote it did not have, which is known if the checkpoint is in its run.
void check_checkpoint(const std::filesystem::path& checkpoint, const pipeline::Plan& plan,
                      Diagnostics& problems);

}  // namespace ptp::host
