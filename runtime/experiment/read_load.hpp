#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <optional>
#include <string>

namespace ptp::experiment {

// The key `load`: a path, or a table with a path in it; nothing if it is absent or wrong, which is
// reported. `component` is the one that is loaded; nothing for the whole pipeline.
std::optional<Load> read_load(const Scope& scope, Raw load,
                              const std::optional<std::string>& component);

// The reverse.
Value tree_of(const Load& load);

}  // namespace ptp::experiment
