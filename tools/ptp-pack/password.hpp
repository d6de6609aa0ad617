// Passwords of secret keys.

#pragma once

#include <string>

namespace ptp::pack {

// The first line of a file. Throws RunError where it cannot be read or is empty.
std::string password_from_file(const std::string& file);

// What somebody types at the terminal of this process, which does not show it. Throws RunError with
// kConfigurationError where there is no terminal. [main]
std::string password_from_terminal(const std::string& key);

}  // namespace ptp::pack
