// Checks whether the libraries that a plugin needs are found, and where the loader searches for
// them.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>

namespace ptp::inspect {

// Loads libraries that are not in a folder named by the plugin, as the system does. Throws
// FileError.
Findings check_needed_libraries(const plugin::CatalogEntry& entry);

// Checks the names of needed libraries; returns false if the file cannot be read.
bool needs_libtorch(const std::filesystem::path& library);

}  // namespace ptp::inspect
