// The properties of the system that the last bits of a result and its speed may depend on.

#pragma once

#include "base/value.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns the keys ptp, libtorch, blas, blas_build, blas_kernels, onednn_isa, compiler, cpu,
// instructions, threads, device, driver, and environment: the variables that change how numbers are
// computed, if the user has set them. blas_kernels is empty, or has the `family` of OpenBLAS's
// kernels that ptp has selected, and the one it replaces, `instead_of`.
Value system_info(at::Device device, const BlasKernels& kernels);

// Returns a sentence for each difference: "threads is 2, was 1". Who selected OpenBLAS's kernels is
// ignored: the kernels themselves are part of blas_build.
std::vector<std::string> system_differences(const Value& before, const Value& now);

// Returns the library that multiplies matrices in this process; empty if it is unknown.
std::filesystem::path blas_file();

// Returns the fix if this library is the slow reference BLAS.
std::optional<std::string> slow_blas_advice(const std::filesystem::path& file);

}  // namespace ptp::engine
