// The loss and statistics of the weights on a set, as recorded in status.json, checkpoint.toml and
// a training record.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::run {

// The keys of the last and the best measurement, in every record that has both.
inline constexpr const char* kLastMeasured = "last";
inline constexpr const char* kBestMeasured = "best";

struct Measurement {
    std::string set;  // "training", "validation", "partial_validation", "validation.hard"
    std::int64_t episode = 0;
    std::int64_t epoch = 0;                                                 // from 1
    std::optional<double> loss;                                             // nullopt: not a number
    std::vector<std::pair<std::string, std::optional<double>>> statistics;  // in their order
};

// Returns a table with the keys set, episode, epoch, loss and statistics.
Value value_of(const Measurement& measurement);

// Returns nullopt for anything but a table. Missing values and values of another type become 0, ""
// or empty.
std::optional<Measurement> measurement_in(const Value& table, std::string_view key);

// Returns a complete measurement. Throws RunError for a missing key: "'set' must be a string, and
// is missing".
Measurement measurement_from(const Value& table);

}  // namespace ptp::run
