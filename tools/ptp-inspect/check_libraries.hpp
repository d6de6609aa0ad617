// Whether the libraries that a plugin needs are found, and where the loader looks for them.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>

namespace ptp::inspect {

// A library that is not in a folder which the plugin names is loaded, as the system does it. Throws
// FileError.
Findings check_needed_libraries(const plugin::CatalogEntry& entry);

// By the names of what it needs; false if it cannot be read.
bool needs_libtorch(const std::filesystem::path& library);

}  // namespace ptp::inspect
