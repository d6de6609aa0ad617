// One target as libFuzzer calls it.

#include "fuzz/targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ptp::fuzz::PTP_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
