// [vars] and "${name}".

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

namespace ptp::experiment {

// Removes `vars` from the tree and replaces each "${name}" by its value. A value takes
// the place of the text that it replaces. Strings that cannot be resolved are reported and stay as
// they are.
void substitute_vars(Value& root, Diagnostics& problems);

}  // namespace ptp::experiment
