// Identifies this boot of this machine: a process of another boot has ended, whatever its number.
#pragma once

#include <string>

namespace ptp {

// Returns a text that Linux draws at each boot; "" where there is none. Containers of one machine
// have it in common.
[[nodiscard]] std::string boot_id();

}  // namespace ptp
