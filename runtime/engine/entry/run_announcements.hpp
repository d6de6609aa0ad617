// What a run tells a person at its start and at its end.

#pragma once

#include "engine/component/profiler.hpp"
#include "engine/console/console.hpp"
#include "engine/request.hpp"
#include "engine/train/session.hpp"

#include <spdlog/logger.h>

#include <filesystem>

namespace ptp::engine {

// What is trained, on what, and where it is recorded.
void announce_training(const Session& session, const RunRequest& request,
                       const std::filesystem::path& run, Console& console);

// Where the time went: on the console, and each activity in the file.
void write_profile(const Profiler& profiler, const std::filesystem::path& file, Console& console,
                   spdlog::logger& log);

}  // namespace ptp::engine
