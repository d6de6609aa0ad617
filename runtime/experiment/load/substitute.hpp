// Replaces the variables of [vars], used as "${name}".

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

namespace ptp::experiment {

// Removes `vars` from the tree and replaces each "${name}" by its value. The value replaces the
// text. Strings that cannot be resolved are reported and stay as they are.
void substitute_vars(Value& root, Diagnostics& problems);

}  // namespace ptp::experiment
