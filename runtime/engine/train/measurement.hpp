// A measurement of the weights at a moment, over a set.

#pragma once

#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "run/measurement.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct Measured {
    run::Measurement record;  // its set is "" for never
    SetPosition position;     // the last episode that changed the weights
    std::vector<Aggregate> aggregates;
    std::string text;  // the statistics for users
};

// Returns the measurement of a set, named `name`, at a position of the training. `aggregates` were
// returned by statistics.aggregate(set).
Measured measured(const Statistics& statistics, StatisticSet set, std::vector<Aggregate> aggregates,
                  std::string name, Position at);

// Returns the measurement of a training epoch up to this episode.
Measured measured_epoch(Statistics& statistics, Position at);

// Returns "epoch 7, validation  loss 0.317  accuracy 0.88" for users; with the online worker,
// "episode 700".
std::string text_of_best(const run::Measurement& best, bool is_online);

}  // namespace ptp::engine
