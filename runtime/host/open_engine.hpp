// Opens the engine, and with it libtorch, only when something is to be computed.

#pragma once

namespace ptp::host {

// The address of a function that libptp-engine.so exports. It is looked for beside the executable
// and where it is installed, and stays open. Throws std::runtime_error;
// RunError for an environment that libtorch cannot be opened in.
void* engine_symbol(const char* name);

// Begins to do so, in a thread of its own: libtorch takes a third of a second, in which an
// experiment can be read. engine_symbol() waits for it, and reports what goes wrong. In a program
// with a sanitizer, which must end by returning from main(), it does nothing. Throws RunError, as
// engine_symbol() does. [main]
void open_engine_ahead();

// Ends the process with this exit code, after writing what its streams hold. Where the engine is
// open, or being opened, nothing else is torn down: the 288 libraries of libtorch take 60 ms to be.
[[noreturn]] void leave(int code);

}  // namespace ptp::host
