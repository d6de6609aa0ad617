// Finds what the tables of a run that was killed have beyond its checkpoints.

#pragma once

#include "run/run.hpp"

#include <cstdint>
#include <optional>

namespace ptp::run {

// Returns the epoch of the best measurement of a run that has died, if its checkpoint `best` is an
// older one or missing: the weights of that epoch are lost. nullopt for any other run.
std::optional<std::int64_t> unsaved_best_epoch(const Run& run);

}  // namespace ptp::run
