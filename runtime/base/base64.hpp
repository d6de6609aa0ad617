// Bytes as base64 (RFC 4648), for pages that have their pictures in them.

#pragma once

#include <string>
#include <string_view>

namespace ptp {

// Returns base64 with padding.
std::string base64(std::string_view bytes);

// Returns whether it is what base64() returns of this many bytes.
bool is_base64(std::string_view text, std::size_t bytes);

}  // namespace ptp
