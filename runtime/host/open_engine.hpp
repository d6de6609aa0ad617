// The files of this ptp, whether this code is part of a program or of libptp.so; opens the engine,
// and with it libtorch, only when they are needed.

#pragma once

#include <filesystem>

namespace ptp::host {

// Returns the running program, or the ptprun installed with libptp.so, which may not exist: the
// search for plugins starts from it.
std::filesystem::path program_path();

// Returns the address of a function of libptp-engine.so, which is searched beside the executable
// and where it is installed, and stays open. Throws std::runtime_error; RunError for an environment
// in which libtorch cannot be opened.
void* engine_symbol(const char* name);

// Begins to open it in a separate thread: libtorch takes a third of a second, in which an
// experiment can be read. engine_symbol() waits for it, and reports errors. Does nothing in a
// program with a sanitizer, which must end by returning from main(). Throws RunError, as
// engine_symbol() does. [main]
void open_engine_ahead();

// Ends the process with this exit code, after flushing its streams. If the engine is open, or being
// opened, nothing else is destroyed: the 288 libraries of libtorch would take 60 ms.
[[noreturn]] void leave(int code);

}  // namespace ptp::host
