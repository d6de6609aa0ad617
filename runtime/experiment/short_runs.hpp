// Experiments made short, to try something: what --fast-dev-run and --overfit change.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>

namespace ptp::experiment {

// One batch of every section, one episode.
void make_fast_dev_run(Experiment& experiment);

// Trains on the first batches again and again, in order, and validates on the same; no test. What
// does not learn these by heart does not learn. A sampler and a reservoir are ignored with a
// warning.
void make_overfit(Experiment& experiment, std::int64_t batches, Diagnostics& problems);

}  // namespace ptp::experiment
