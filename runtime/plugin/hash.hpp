// The name of a file's content.
#pragma once

#include <string>
#include <string_view>

namespace ptp::plugin {

// SHA-256 in 64 hexadecimal digits.
std::string sha256(std::string_view content);

}  // namespace ptp::plugin
