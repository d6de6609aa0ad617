// Warnings of a run whose weights are not those that its files lead one to expect.

#pragma once

#include "base/diagnostics.hpp"
#include "run_operand.hpp"

#include <filesystem>
#include <optional>

namespace ptp::ptprun {

// Warns of a run whose recorded experiment is not as the run wrote it; where the weights of
// `checkpoint` are used, also of one that still trains, and of one that was killed before it saved
// its best weights, if that is its best one.
void warn_of_run(const Subject& subject, const std::optional<std::filesystem::path>& checkpoint,
                 Diagnostics& problems);

}  // namespace ptp::ptprun
