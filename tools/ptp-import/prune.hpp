// Removes keys that no table of an experiment has.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <filesystem>

namespace ptp::importer {

// Removes them with a warning, except for those of tasks and components, which plugins declare.
void prune(Value& experiment, const std::filesystem::path& home, Report& report);

}  // namespace ptp::importer
