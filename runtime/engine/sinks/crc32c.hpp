// The checksum of event files: CRC-32C (Castagnoli, RFC 3720), and its mask.

#pragma once

#include <cstdint>
#include <string_view>

namespace ptp::engine {

std::uint32_t crc32c(std::string_view bytes);

// As TFRecord files hold it, so that checksums of data that holds checksums stay of use.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace ptp::engine
