#include "engine/sinks/crc32c.hpp"

#include <boost/crc.hpp>

namespace ptp::engine {

namespace {
constexpr std::uint32_t kMaskDelta = 0xA282EAD8U;
}

std::uint32_t crc32c(std::string_view bytes) {
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

std::uint32_t masked_crc32c(std::string_view bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15U) | (crc << 17U)) + kMaskDelta;
}

}  // namespace ptp::engine
