// The measurements of a model.
#pragma once

#include "ptp-bundle/contents.hpp"
#include "run/checkpoint_record.hpp"
#include "run/measurement.hpp"

#include <vector>

namespace ptp::bundling {

// Returns what the weights were measured with at their checkpoint, and with the test set if they
// are those that it was measured with.
std::vector<run::Measurement> metrics_of(const Source& source,
                                         const run::CheckpointRecord& checkpoint);

}  // namespace ptp::bundling
