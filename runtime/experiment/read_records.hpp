// [records].

#pragma once

#include "experiment/fields.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <optional>

namespace ptp::experiment {

// `interval`: the episodes from one record to the next, where a table has none of its own.
void read_records(const Scope& scope, std::optional<std::int64_t> interval, Records& records);

// The reverse; an empty table where nothing is written besides the CSV files.
Value tree_of(const Records& records);

}  // namespace ptp::experiment
