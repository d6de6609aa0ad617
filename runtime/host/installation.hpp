// The locations of this ptp's files, whether this code is part of a program or of libptp.so.

#pragma once

#include <filesystem>

namespace ptp::host {

// Returns the running program, or the ptprun installed with libptp.so, which may not exist: the
// search for plugins starts from it.
std::filesystem::path program_path();

// Returns libptp-engine.so: beside libptp.so, or beside the program and where that is installed. It
// may not exist.
std::filesystem::path engine_path();

}  // namespace ptp::host
