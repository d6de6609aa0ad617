// How this system loads a library, and keeps it loaded.
#pragma once

#include <boost/dll/shared_library.hpp>

#include <filesystem>

namespace ptp::plugin {

// Loads the library for the rest of the process, with its symbols for itself. Throws OpenError, and
// ResourceError where the system lacks descriptors or memory.
boost::dll::shared_library open_library(const std::filesystem::path& path);

}  // namespace ptp::plugin
