// The libtorch version of this build, for features that older versions lack.

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ptp::experiment {

// Returns the version of this build, such as "1.13.1".
std::string libtorch_version();

// Returns whether a libtorch, "2.15.0 (libtorch_cpu.so)", has this version, {2, 4}, or a later one.
bool is_from(std::string_view libtorch, const std::array<int, 2>& version);

// The first version with float16 on the CPU.
inline constexpr std::array kFirstWithFloat16 = {2, 4};
inline constexpr std::array kFirstWithFusedSteps = {2, 4};

}  // namespace ptp::experiment
