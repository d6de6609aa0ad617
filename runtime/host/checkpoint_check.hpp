// Whether a checkpoint has the weights for a pipeline, as far as that is seen without reading
// them.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"

#include <filesystem>

namespace ptp::host {

// Reports, as missing data, files that the folder lacks, and models of the plan that the run lacks
// that wrote it: that is known where the checkpoint lies in its run.
void check_checkpoint(const std::filesystem::path& checkpoint, const pipeline::Plan& plan,
                      Diagnostics& problems);

}  // namespace ptp::host
