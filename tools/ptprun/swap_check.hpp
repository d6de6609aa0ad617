// Whether exchanging plugins for copies of themselves changes a bit of the results of an
// experiment.

#pragma once

#include "commands.hpp"

namespace ptp::ptprun {

// Runs the experiment of a training, and again with swaps; compares checkpoints
// and records, and reports what is equal. 0 if all is, kSwapDiffers if not, or the
// code of the run that failed.
inline constexpr int kSwapDiffers = 1;
int swap_check(const Given& given);

}  // namespace ptp::ptprun
