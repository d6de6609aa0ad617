// Warnings of a run whose weights are not those that its files lead one to expect.

#pragma once

#include "base/diagnostics.hpp"
#include "run/run.hpp"
#include "run_operand.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ptp::ptprun {

// Returns the epoch of the best measurement of a run that has died, if its checkpoint `best` is an
// older one or missing: the weights of that epoch are lost. nullopt for any other run.
std::optional<std::int64_t> unsaved_best_epoch(const run::Run& run);

// Warns of a run whose recorded experiment is not as the run wrote it, and of one that was killed
// before it saved its best weights, if `checkpoint` is its best one.
void warn_of_run(const Subject& subject, const std::optional<std::filesystem::path>& checkpoint,
                 Diagnostics& problems);

}  // namespace ptp::ptprun
