// The log of a run, or of a set that is processed: a file with everything, and the console.

#pragma once

#include "engine/output/console.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

namespace ptp::engine {

// The console shows warnings and errors, everything if verbose, and must outlive the log. Throws
// RunError.
std::shared_ptr<spdlog::logger> new_log(const std::filesystem::path& file, Console& console,
                                        Verbosity verbosity);

}  // namespace ptp::engine
