// The number of threads: --threads N, or auto.

#pragma once

#include "commands.hpp"

namespace ptp::ptprun {

Option threads_option();

// Applies --threads to this process and its children; call it before any of them opens the engine.
// Throws UsageError for anything but a number from 1 or auto.
void use_threads(const Given& given);

// Returns whether the number may adapt to the cores that other processes leave.
bool adapts_threads(const Given& given);

}  // namespace ptp::ptprun
