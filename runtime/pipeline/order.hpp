// The order in which components run, which is also the order in which they are created.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/wiring.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// Indices into assembly.components: writers of streams and globals before their readers, components
// with a priority by it, and otherwise in the order of the experiment. nullopt after reporting a
// cycle, a priority that contradicts the streams, or one that is given twice.
std::optional<std::vector<int>> order_components(const Assembly& assembly,
                                                 const std::map<std::string, int>& global_writers,
                                                 Diagnostics& problems);

}  // namespace ptp::pipeline
