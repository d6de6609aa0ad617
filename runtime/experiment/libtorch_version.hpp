// Which libtorch this build has, where an experiment asks for what older ones do not have.

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ptp::experiment {

// "1.13.1", of this build.
std::string libtorch_version();

// Whether a libtorch, "2.15.0 (libtorch_cpu.so)", is of this version, {2, 4}, or a later one.
bool is_from(std::string_view libtorch, const std::array<int, 2>& version);

// The first version that has it on the CPU.
inline constexpr std::array kFirstWithFloat16 = {2, 4};
inline constexpr std::array kFirstWithFusedSteps = {2, 4};

}  // namespace ptp::experiment
