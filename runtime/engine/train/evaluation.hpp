// A pass over the validation or the test set of a session, with its current weights.

#pragma once

#include "engine/output/progress.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/training_session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

// One pass over a set, or its beginning.
struct Evaluation {
    StatisticSet set = kValidationSet;
    Position position;        // of the training
    std::uint64_t epoch = 0;  // decides the order of the samples
    std::uint64_t max_batches = UINT64_MAX;
    std::size_t number = 0;  // the validation set's: 0 is the one that judges
};

// Evaluates without gradients, with dropout off and batch normalization frozen, and with the
// averages of the weights if the training has them. The components are back in training mode when
// it returns. Returns nullopt if a signal ended the pass early; a validation then leaves no trace
// in the session. A validation set that does not judge restores the random generators except those
// of its task, so that it changes nothing for the training and the other sets. REQUIRES: the
// session has the set. `progress` (optional) shows each batch. [main] Throws RunError, with
// kDiverged for a loss that is not finite.
std::optional<std::vector<Aggregate>> evaluate(TrainingSession& session,
                                               const Evaluation& evaluation,
                                               Progress* progress = nullptr);

}  // namespace ptp::engine
