// The libtorch that this ptp was built for: whether it is there, and the only one in this process.

#pragma once

#include <filesystem>

namespace ptp::host {

// Throws RunError if the package torch beside this ptp has another version than it was built for,
// or is not there: a ptp that pip has installed computes with that package. `engine` is
// libptp-engine.so.
void check_package_torch(const std::filesystem::path& engine);

// Throws RunError if another libtorch is in the memory of this process: two of them share variables
// of each other, and crash.
void refuse_another_libtorch(const std::filesystem::path& engine);

// Throws RunError, with the versions that are there instead, if the system's loader cannot open the
// libtorch that this ptp was built for. Called once the engine could not be opened.
void check_system_libtorch();

}  // namespace ptp::host
