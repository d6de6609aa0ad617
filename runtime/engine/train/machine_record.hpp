// What the last bits of a run's results depend on besides its experiment, as run.json keeps it.

#pragma once

#include <c10/core/Device.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ptp::engine {

// Keys: ptp, libtorch, blas, blas_build, onednn_isa, compiler, cpu, instructions, threads, device,
// driver, and environment: the variables that change how numbers are computed, those that are set.
nlohmann::ordered_json machine_record(at::Device device);

// A sentence for each thing that differs: "threads is 2, was 1".
std::vector<std::string> machine_differences(const nlohmann::ordered_json& before,
                                             const nlohmann::ordered_json& now);

}  // namespace ptp::engine
