// [distributed].

#pragma once

#include "experiment/distributing.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

// `scope` is the table.
void read_distributing(const Scope& scope, Distributing& distributing);

// The reverse.
Value tree_of(const Distributing& distributing);

}  // namespace ptp::experiment
