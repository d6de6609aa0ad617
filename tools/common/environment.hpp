// The variables that this process and its children see.

#pragma once

#include <string>

namespace ptp::tools {

// Whatever the variable had before. REQUIRES: no other thread reads the environment. [main]
void set_variable(const char* name, const std::string& value);

}  // namespace ptp::tools
