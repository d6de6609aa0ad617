// The relations that must hold between the settings of a component and the sizes that it gets.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/derive.hpp"

namespace ptp::pipeline {

// Reports relations of the declaration that do not hold, at the setting that they are about;
// whether all hold, as far as that is known.
bool check_requirements(const Derivation& of, Diagnostics& problems);

}  // namespace ptp::pipeline
