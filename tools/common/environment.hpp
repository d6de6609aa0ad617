// The environment variables of this process and its children.

#pragma once

#include <string>

namespace ptp::tools {

// Sets or replaces a variable. REQUIRES: no other thread reads the environment. [main]
void set_variable(const char* name, const std::string& value);

}  // namespace ptp::tools
