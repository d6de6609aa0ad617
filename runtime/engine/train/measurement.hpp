// How good the weights were at a moment, over a set.

#pragma once

#include "base/value.hpp"
#include "engine/stats/records.hpp"
#include "engine/stats/statistics.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct Measurement {
    std::string set;  // "training", "validation", "partial_validation"; "" for never
    Position at;      // the last episode that changed the weights
    double loss = 0;
    Value statistics;  // a table: name and value of each that is shown
    std::string text;  // the same for a person; not saved
};

// What a set has gathered, at a position of the training. `aggregates` are those that
// statistics.aggregate(set) gave.
Measurement measured(const Statistics& statistics, StatisticSet set,
                     const std::vector<Aggregate>& aggregates, std::string name, Position at);

// As a table with the keys set, episode, epoch, loss and statistics, for people.
Value shown(const Measurement& measured);

// The same for a checkpoint, where epochs count from 0, and back. Reading throws RunError.
Value to_value(const Measurement& measured);
Measurement measured_from(const Value& value);

}  // namespace ptp::engine
