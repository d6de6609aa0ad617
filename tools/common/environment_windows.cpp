// Sets environment variables on Windows.

#include "common/program.hpp"

#include <stdlib.h>

namespace ptp::tools {

void set_variable(const char* name, const std::string& value) {
    ::_putenv_s(name, value.c_str());
}

}  // namespace ptp::tools
