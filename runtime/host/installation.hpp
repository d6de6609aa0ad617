// Where the files of this ptp lie, whether this code is part of a program or of libptp.so.

#pragma once

#include <filesystem>

namespace ptp::host {

// The running program, or the ptprun that libptp.so was installed with, which need not be there:
// what searches for plugins starts from it.
std::filesystem::path program_path();

// libptp-engine.so: beside libptp.so, or beside the program and where that is installed. It need
// not be there.
std::filesystem::path engine_path();

}  // namespace ptp::host
