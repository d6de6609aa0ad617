// Folders for the results of several trainings.

#pragma once

#include <filesystem>
#include <string>

namespace ptp::ptprun {

// Describes the sweep of a folder.
inline constexpr const char* kSweepFile = "sweep.json";

// Creates a folder for results: the requested one, which must be empty or not
// exist, or a new one in runs/NAME. Throws UsageError.
std::filesystem::path new_results_folder(const std::string& asked_for, const std::string& name);

}  // namespace ptp::ptprun
