// Reads and writes [records].

#pragma once

#include "experiment/fields.hpp"
#include "experiment/records.hpp"

namespace ptp::experiment {

void read_records(const Scope& scope, Records& records);

// Returns the table; empty if only the CSV files are written.
Value tree_of(const Records& records);

}  // namespace ptp::experiment
