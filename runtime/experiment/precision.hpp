// Where training.precision can be had.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

#include <string_view>

namespace ptp::experiment {

// Whether this libtorch, "2.15.0 (libtorch_cpu.so)", computes in float16 on the CPU.
bool has_float16_on_cpu(std::string_view libtorch);

// Reports "fp16" on a device that the libtorch of this build does not compute in float16 on.
void check_precision(const Scope& root, const Experiment& experiment);

}  // namespace ptp::experiment
