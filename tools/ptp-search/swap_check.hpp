// Checks that exchanging plugins for copies of themselves does not change any bit of the results of
// an experiment.

#pragma once

#include "ptprun/commands.hpp"

namespace ptp::search {

// Runs the experiment of a training without and with swaps; compares checkpoints and records, and
// reports which are equal. Returns 0 if all are, kSwapDiffers if not, or the code of the run that
// failed.
inline constexpr int kSwapDiffers = 1;
int swap_check(const ptprun::Given& given);

}  // namespace ptp::search
