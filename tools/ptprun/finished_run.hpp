// Reads the last status of a run that has no process any more, from its folder.

#pragma once

#include "base/value.hpp"

#include <filesystem>
#include <optional>

namespace ptp::ptprun {

// Returns the status in the form in which a running training replies, with `reason` and
// `exit_code`; nullopt if it may still be running.
std::optional<Value> finished_status(const std::filesystem::path& run);

}  // namespace ptp::ptprun
