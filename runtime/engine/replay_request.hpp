// Requests of a program to replay a recorded component, through a symbol of libptp-engine.so.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::engine {

struct ReplayTolerance {
    double relative = 0;
    double absolute = 0;
};

struct ReplayRequest {
    std::filesystem::path recording;
    const plugin::CatalogEntry& plugin;             // the build to run
    std::filesystem::path folder;                   // empty; for copies and the component's files
    std::filesystem::path home = {};                // the expansion of "~"
    int time_limit_s = 600;                         // in total
    std::int64_t repeats = 1;                       // of the whole recording
    std::optional<ReplayTolerance> tolerance = {};  // nullopt: the bits must be equal
};

struct ReplayResult {
    // The comparisons and differences: see docs/authoring/recorded-streams.md. Empty if there is an
    // error.
    Value report = Value::table();
    int exit_code = 0;  // 0 also if there are differences
    std::string error;  // for users; empty if there is none
};

// Runs a build of a component on the recording, in a process of its own. [main]
using ReplayFunction = void (*)(const ReplayRequest& request, ReplayResult& result) noexcept;

inline constexpr const char* kReplaySymbol = "ptp_engine_replay";  // is a ReplayFunction

}  // namespace ptp::engine
