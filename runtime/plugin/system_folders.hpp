// What of the search for plugins differs between systems.
#pragma once

#include <string>

namespace ptp::plugin {

inline constexpr const char* kBelowData = "ptp/plugins";
inline constexpr const char* kBelowPrefix = "lib/ptp/plugins";

// The character between two folders in a list of them: ':'.
char path_list_separator();

// The value of a variable of the environment; "" where it is not set. [main]
std::string environment_text(const char* name);

}  // namespace ptp::plugin
