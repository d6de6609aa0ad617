// Opens a plugin's library and asks for its description: from here on its code runs.
#pragma once

#include <ptp/abi.h>

#include <filesystem>
#include <stdexcept>

namespace ptp::plugin {

// what() is a sentence without the path.
class OpenError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Loads the library for the rest of the process, with its symbols for itself, and calls its entry.
// The ABI version of what is returned has been checked, nothing else of it. The floating-point
// environment is put back, and a plugin that changes it is refused. A library's own start-up code
// may crash or end the process; judge the file first. Throws OpenError, and ResourceError
// (base/file_error.hpp) where the system lacks descriptors or memory. [main]
const ptp_plugin_info& open_plugin(const std::filesystem::path& path);

}  // namespace ptp::plugin
