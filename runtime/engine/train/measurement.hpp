// A measurement of the weights at a moment, over a set.

#pragma once

#include "base/value.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "run/measurement.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct Measurement {
    std::string set;  // "training", "validation", "partial_validation"; "" for never
    Position at;      // the last episode that changed the weights
    double loss = 0;
    Value statistics;  // a table of names and values of the shown statistics
    std::string text;  // the statistics for users; not saved
};

// Returns the measurement of a set at a position of the training. `aggregates` were returned by
// statistics.aggregate(set).
Measurement measured(const Statistics& statistics, StatisticSet set,
                     const std::vector<Aggregate>& aggregates, std::string name, Position at);

// The values and the row of a training epoch up to this episode.
struct TrainingEpoch {
    Measurement measured;
    SetPosition position;
    std::vector<Aggregate> aggregates;
};
TrainingEpoch training_epoch(Statistics& statistics, Position at);

// Returns the measurement for users, for the files of the run's folder, and as a table.
run::Measurement record_of(const Measurement& measured);
Value shown(const Measurement& measured);

// Returns "epoch 7, validation  loss 0.317  accuracy 0.88" for users; with the online worker,
// "episode 700".
std::string text_of_best(const Measurement& best, bool is_online);

// Converts for training.toml of a checkpoint, where epochs count from 0, and back.
run::Measurement saved_record_of(const Measurement& measured);
Measurement measured_from(const run::Measurement& saved);

}  // namespace ptp::engine
