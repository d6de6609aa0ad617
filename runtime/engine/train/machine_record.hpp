// What the last bits of a run's results depend on besides its experiment, as run.json keeps it.

#pragma once

#include "base/value.hpp"

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace ptp::engine {

// Keys: ptp, libtorch, blas, blas_build, onednn_isa, compiler, cpu, instructions, threads, device,
// driver, and environment: the variables that change how numbers are computed, those that are set.
Value machine_record(at::Device device);

// A sentence for each thing that differs: "threads is 2, was 1".
std::vector<std::string> machine_differences(const Value& before, const Value& now);

}  // namespace ptp::engine
