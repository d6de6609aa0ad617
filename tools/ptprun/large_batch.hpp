// Batches that an epoch of the training cannot fill, where the samples are known before the data
// are read.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

// Warns of such a batch, which is the only one of each epoch; with drop_last there is none, which
// is an error. A run reports both when it has read the data.
void check_large_batch(const host::Prepared& prepared, Diagnostics& problems);

}  // namespace ptp::ptprun
