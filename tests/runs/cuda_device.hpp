// Whether tests can train on a CUDA device.
#pragma once

#include <filesystem>

namespace ptp::test {

// With a libtorch for CUDA, on a machine with NVIDIA's driver, libtorch must find a device.
inline bool has_cuda() {
    return PTP_TEST_HAS_CUDA != 0 && std::filesystem::exists("/dev/nvidiactl");
}

}  // namespace ptp::test
