// Reads passwords of secret keys.

#pragma once

#include <string>

namespace ptp::pack {

// Returns the first line of a file. Throws RunError if it cannot be read or is empty.
std::string password_from_file(const std::string& file);

// Returns the text typed at the terminal of this process, without echo. Throws RunError with
// kConfigurationError if there is no terminal. [main]
std::string password_from_terminal(const std::string& key);

}  // namespace ptp::pack
