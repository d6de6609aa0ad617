// The check of plugins that a run in safe mode loads later: swapped builds, and those of a
// checkpoint.

#pragma once

#include "base/explanation.hpp"
#include "plugin/staging.hpp"

#include <optional>

namespace ptp::engine {

// Returns why a run in safe mode refuses the file, or nullopt if it comes with ptp.
std::optional<Explanation> refuse_origin(const plugin::Staged& staged);

}  // namespace ptp::engine
