// How many threads compute: --threads N, or auto.

#pragma once

#include "commands.hpp"

namespace ptp::ptprun {

Option threads_option();

// Sets what --threads asks for, for this process and those that it starts; before any of them opens
// the engine. Throws UsageError for what is neither a number from 1 on nor auto.
void use_threads(const Given& given);

// Whether their number may follow the cores that other processes leave.
bool adapts_threads(const Given& given);

}  // namespace ptp::ptprun
