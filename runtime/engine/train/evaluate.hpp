// One pass over a validation or test set: no gradients, dropout off, batch normalisation frozen.

#pragma once

#include "engine/stats/statistics.hpp"
#include "engine/train/records.hpp"
#include "engine/train/session.hpp"

#include <optional>
#include <vector>

namespace ptp::engine {

// The components are back in training when it returns. nullopt if a signal ended it early. Throws
// RunError; with kTrainingError for a loss that is no number.
std::optional<std::vector<Aggregate>> evaluate(Session& session, BatchSource& source,
                                               StatisticSet set, Position position);

}  // namespace ptp::engine
