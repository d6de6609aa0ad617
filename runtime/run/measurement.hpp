// How good the weights were over a set, as status.json, checkpoint.toml and a training record it.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::run {

// The keys of the last measurement and of the best one, in every record that has both.
inline constexpr const char* kLastMeasured = "last";
inline constexpr const char* kBestMeasured = "best";

struct Measurement {
    std::string set;  // "training", "validation", "partial_validation", "validation.hard"
    std::int64_t episode = 0;
    std::int64_t epoch = 0;                                                 // from 1
    std::optional<double> loss;                                             // nullopt: not a number
    std::vector<std::pair<std::string, std::optional<double>>> statistics;  // in their order
};

// As a table with the keys set, episode, epoch, loss and statistics.
Value value_of(const Measurement& measurement);

// nullopt for what is not a table. What is missing or has another type is 0, "" or nothing.
std::optional<Measurement> measurement_in(const Value& table, std::string_view key);

// The same where all must be there. Throws RunError: "'set' must be a string, and is missing".
Measurement measurement_from(const Value& table);

}  // namespace ptp::run
