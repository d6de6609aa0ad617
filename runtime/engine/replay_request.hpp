// What a program asks of the engine about a recorded component, through a symbol of
// libptp-engine.so.

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
    const plugin::CatalogEntry& plugin;  // the build that is fed
    std::filesystem::path folder;        // empty; for copies and for what the component writes
    std::filesystem::path home = {};     // what "~" expands to
    int time_limit_s = 600;              // for all of it
    std::int64_t repeats = 1;            // how often it is fed with all
    std::optional<ReplayTolerance> tolerance = {};  // nullopt: the bits must be the same
};

struct ReplayResult {
    // What was compared, and where it differs: see docs/authoring/recorded-streams.md. Empty if
    // there is an error.
    Value report = Value::table();
    int exit_code = 0;  // 0 also where it differs
    std::string error;  // for a person; empty if there is none
};

// Feeds a build of a component with what was recorded, in a process of its own. [main]
using ReplayFunction = void (*)(const ReplayRequest& request, ReplayResult& result) noexcept;

inline constexpr const char* kReplaySymbol = "ptp_engine_replay";  // is a ReplayFunction

}  // namespace ptp::engine
