// The parts of the search for plugins that differ between systems.
#pragma once

#include <string>

namespace ptp::plugin {

inline constexpr const char* kBelowData = "ptp/plugins";
inline constexpr const char* kBelowPrefix = "lib/ptp/plugins";

// Returns the separator of folders in a list: ':'.
char path_list_separator();

// Returns the value of an environment variable; "" if it is not set. [main]
std::string environment_text(const char* name);

}  // namespace ptp::plugin
