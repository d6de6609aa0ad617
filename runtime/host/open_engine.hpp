// Opens the engine, and with it libtorch, only when something is to be computed.

#pragma once

namespace ptp::host {

// The address of a function that libptp-engine.so exports. It is looked for beside the executable
// and where it is installed, and stays open. Throws std::runtime_error.
void* engine_symbol(const char* name);

// Ends the process with this exit code, after writing what its streams hold. Where the engine is
// open, nothing else is torn down: the 288 libraries of libtorch take 60 ms for it.
[[noreturn]] void leave(int code);

}  // namespace ptp::host
