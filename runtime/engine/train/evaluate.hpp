// One pass over a validation or test set: no gradients, dropout off, batch normalization frozen.

#pragma once

#include "engine/stats/records.hpp"
#include "engine/stats/statistics.hpp"
#include "engine/train/session.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ptp::engine {

// One pass, or its beginning.
struct Evaluation {
    StatisticSet set = kValidationSet;
    Position position;        // of the training
    std::uint64_t epoch = 0;  // whose order the samples have
    std::uint64_t max_batches = UINT64_MAX;
    // (optional) After each batch: how many are done, of how many.
    std::function<void(std::uint64_t done, std::uint64_t count)> on_batch = {};
};

// The components are back in training when it returns. nullopt if a signal ended it early. Throws
// RunError; with kTrainingError for a loss that is not a number.
std::optional<std::vector<Aggregate>> evaluate(Session& session, BatchSource& source,
                                               const Evaluation& evaluation);

}  // namespace ptp::engine
