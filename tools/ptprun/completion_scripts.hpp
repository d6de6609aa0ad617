// What makes a shell ask ptprun how a command line can continue.

#pragma once

#include <string_view>

namespace ptp::ptprun {

// For bash, zsh or fish; "" for any other.
std::string_view completion_script(std::string_view shell);

}  // namespace ptp::ptprun
