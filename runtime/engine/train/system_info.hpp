// What of the system the last bits of a result and its speed may depend on.

#pragma once

#include "base/value.hpp"

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Keys: ptp, libtorch, blas, blas_build, onednn_isa, compiler, cpu, instructions, threads, device,
// driver, and environment: the variables that change how numbers are computed, those that are set.
Value system_info(at::Device device);

// A sentence for each thing that differs: "threads is 2, was 1".
std::vector<std::string> system_differences(const Value& before, const Value& now);

// What makes this system slower than it could be, with how to fix it.
std::vector<std::string> system_advice();

// The library that multiplies matrices in this process; empty if it is unknown.
std::filesystem::path blas_file();

// How to fix it, if this library is the slow reference BLAS.
std::optional<std::string> slow_blas_advice(const std::filesystem::path& file);

// How to fix it, if OpenBLAS has chosen the kernels of an old processor on one with AVX2: it does
// so on processors that are newer than it. `build` is what OpenBLAS reports about itself,
// `instructions` those that libtorch uses.
std::optional<std::string> old_kernels_advice(std::string_view build,
                                              std::string_view instructions);

}  // namespace ptp::engine
