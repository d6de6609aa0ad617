// What the process is told about the machine before it trains.

#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

// Has the allocator keep freed memory: a step frees and allocates the same large blocks over and
// over, and giving them back to the system each time costs more than the step's own work on them.
void keep_freed_memory();

// Has OpenBLAS use as many threads as libtorch does. Its build for POSIX threads starts one for each
// core whatever libtorch was told; between two products they spin, on the cores that load the data.
void bind_blas_threads();

// "cpu", "cuda" or "cuda:N" as a device that is there. Throws RunError with kConfigurationError.
at::Device usable_device(const std::string& name);

// The library that multiplies matrices in this process; empty if it cannot be told.
std::filesystem::path blas_file();

// How to fix it, if this library is the slow reference BLAS.
std::optional<std::string> slow_blas_advice(const std::filesystem::path& file);

// How to fix it, if OpenBLAS has chosen the kernels of an old processor on one with AVX2: it does so on
// processors that are newer than it. `build` is what blas_build() returns, `instructions` what
// cpu_instructions() returns.
std::optional<std::string> old_kernels_advice(std::string_view build,
                                              std::string_view instructions);

}  // namespace ptp::engine
