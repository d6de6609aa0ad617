// Names of devices: cpu, cuda, cuda:N.

#pragma once

#include <string>

namespace ptp::schema {

inline constexpr const char* kDevicePattern = "cpu|cuda(:[0-9]{1,3})?";

// Returns why the device of this name, which matches the pattern, cannot be used if libtorch finds
// `count` CUDA devices; empty if it can be used.
std::string device_problem(const std::string& name, int count);

}  // namespace ptp::schema
