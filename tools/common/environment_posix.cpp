// Sets environment variables on POSIX systems.

#include "common/program.hpp"

#include <cstdlib>

namespace ptp::tools {

void set_variable(const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
}

}  // namespace ptp::tools
