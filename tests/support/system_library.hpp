#pragma once

#include <string>

namespace ptp::test {

// The absolute path of a library of the system, such as "libm.so.6", in the folder of this
// machine's architecture. A test that asks for one that is not there fails.
std::string system_library(const char* name);

}  // namespace ptp::test
