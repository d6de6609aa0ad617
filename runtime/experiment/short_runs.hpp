// Shortens experiments for quick checks: --fast-dev-run and --overfit.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>

namespace ptp::experiment {

// Limits every section to one batch, and the training to one episode.
void make_fast_dev_run(Experiment& experiment);

// Trains repeatedly on the first batches, in order, and validates on the same ones; no test. A
// model that cannot memorize these cannot learn. A sampler and a reservoir are ignored with a
// warning.
void make_overfit(Experiment& experiment, std::int64_t batches, Diagnostics& problems);

}  // namespace ptp::experiment
