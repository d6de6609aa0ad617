// [records].

#pragma once

#include "config/fields.hpp"
#include "config/records.hpp"

namespace ptp::config {

void read_records(const Scope& scope, Records& records);

// The reverse; an empty table where nothing is written besides the CSV files.
Value tree_of(const Records& records);

}  // namespace ptp::config
