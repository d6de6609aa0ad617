// Compares how a training prepares its samples with that of the run whose weights it loads.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"

namespace ptp::host {

// Warns of weights that are loaded from a training whose task normalizes images, or other numbers,
// otherwise than that of this training.
void warn_of_other_scales(const Prepared& prepared, Diagnostics& problems);

}  // namespace ptp::host
