// What of the system the last bits of a result and its speed may depend on.

#pragma once

#include "base/value.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Keys: ptp, libtorch, blas, blas_build, blas_kernels, onednn_isa, compiler, cpu, instructions,
// threads, device, driver, and environment: the variables that change how numbers are computed,
// those that the user has set. blas_kernels is empty, or states the `family` of OpenBLAS's kernels
// that ptp has chosen, and which OpenBLAS had taken, `instead_of`.
Value system_info(at::Device device, const BlasKernels& kernels);

// A sentence for each thing that differs: "threads is 2, was 1". What chose OpenBLAS's kernels does
// not count: which they are shows in blas_build.
std::vector<std::string> system_differences(const Value& before, const Value& now);

// The library that multiplies matrices in this process; empty if it is unknown.
std::filesystem::path blas_file();

// How to fix it, if this library is the slow reference BLAS.
std::optional<std::string> slow_blas_advice(const std::filesystem::path& file);

}  // namespace ptp::engine
