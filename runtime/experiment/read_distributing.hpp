// Reads and writes [distributed].

#pragma once

#include "experiment/distributing.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// Reads the table `scope`.
void read_distributing(const Scope& scope, Distributing& distributing);

// Returns the table: the inverse of read_distributing().
Value tree_of(const Distributing& distributing);

}  // namespace ptp::experiment
