// Loads a library, and keeps it loaded, as this system does.
#pragma once

#include <boost/dll/shared_library.hpp>

#include <filesystem>
#include <string>

namespace ptp::plugin {

// Loads the library for the rest of the process, with its symbols for itself. Throws OpenError, and
// ResourceError where the system lacks descriptors or memory.
boost::dll::shared_library open_library(const std::filesystem::path& path);

// The file of the library that this process has loaded by this name; empty if it has none.
std::filesystem::path loaded_library(const std::string& name);

// Returns whether the system finds a library of this name, which is loaded to find out. Linux only.
bool system_has_library(const std::string& name);

}  // namespace ptp::plugin
