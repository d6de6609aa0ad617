// The checksum of a recorded tensor.

#pragma once

#include <ATen/core/Tensor.h>

#include <boost/crc.hpp>

#include <cstdint>

namespace ptp::engine {

// Returns the CRC-32C of the bytes.
inline std::int64_t checksum_of(const at::Tensor& tensor) {
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(tensor.data_ptr(), tensor.nbytes());
    return crc.checksum();
}

}  // namespace ptp::engine
