// Opens the engine, and with it libtorch, only when something is to be computed.

#pragma once

namespace ptp::host {

// The address of a function that libptp-engine.so exports. It is looked for beside the executable
// and where it is installed, and stays open. Throws std::runtime_error.
void* engine_symbol(const char* name);

}  // namespace ptp::host
