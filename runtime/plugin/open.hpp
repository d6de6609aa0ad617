// Opens a plugin's library and requests its description. Its code runs from here on.
#pragma once

#include <ptp/abi.h>

#include <boost/dll/shared_library.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ptp::plugin {

// Thrown with a sentence without the path.
class OpenError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Loads the library, with private symbols, for the rest of the process, and calls its entry. Of the
// result only the ABI version has been checked. The floating-point environment is restored, and a
// plugin that changes it is refused. A library's start-up code may crash or end the process; check
// the file first. Throws OpenError, and ResourceError (base/file_error.hpp) if the system lacks
// descriptors or memory. [main]
const ptp_plugin_info& open_plugin(const std::filesystem::path& path);

// Loads the library for the rest of the process, with its symbols for itself. Throws OpenError, and
// ResourceError where the system lacks descriptors or memory.
boost::dll::shared_library open_library(const std::filesystem::path& path);

// Returns the file of the library that this process has loaded by this name; empty if it has none.
std::filesystem::path loaded_library(const std::string& name);

// Returns whether the system finds a library of this name, which is loaded for it. This exists on
// Linux alone.
bool system_has_library(const std::string& name);

}  // namespace ptp::plugin
