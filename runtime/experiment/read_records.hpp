// Reads and writes [records].

#pragma once

#include "experiment/fields.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <optional>

namespace ptp::experiment {

// `interval`: the episodes from one record to the next, where a table has none of its own.
void read_records(const Scope& scope, std::optional<std::int64_t> interval, Records& records);

// Returns the table; empty if only the CSV files are written.
Value tree_of(const Records& records);

}  // namespace ptp::experiment
