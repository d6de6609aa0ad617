// Asks another program for something, and waits no longer than allowed.

#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

struct BoundedResult {
    std::string output;   // what it has printed until then
    std::string problem;  // why it was not started, or did not end by itself with 0; "" if it did
};

// Starts exactly this file, with nothing to read; it is killed when the time is over, or when it
// prints more than a megabyte.
BoundedResult run_bounded(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit);

}  // namespace ptp::ptprun
