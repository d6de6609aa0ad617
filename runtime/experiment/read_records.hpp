// [records].

#pragma once

#include "experiment/fields.hpp"
#include "experiment/records.hpp"

namespace ptp::experiment {

void read_records(const Scope& scope, Records& records);

// The reverse; an empty table where nothing is written besides the CSV files.
Value tree_of(const Records& records);

}  // namespace ptp::experiment
