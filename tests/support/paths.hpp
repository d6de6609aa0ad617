#pragma once

#include <filesystem>

namespace ptp::test {

// The root of the source tree that the test was built from.
std::filesystem::path source_dir();

// The build folder: programs are in bin/, plugins in lib/ptp/plugins/.
std::filesystem::path build_dir();

}  // namespace ptp::test
