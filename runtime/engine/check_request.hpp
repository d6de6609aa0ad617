// What a program asks of the engine about the components of a plugin, through a symbol of
// libptp-engine.so.

#pragma once

#include "plugin/catalog.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

struct CheckRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;  // empty; for copies and for what components write
    int time_limit_s = 60;         // for each component
};

enum class Finding { kPassed, kFailed, kNotTried };

struct ComponentVerdict {
    std::string component;
    Finding finding = Finding::kPassed;
    std::string reason;  // of what is not passed
};

struct CheckResult {
    std::vector<ComponentVerdict> verdicts;
    std::string error;  // why there are none
};

// Runs each component on made-up values. [main], once in a process.
using CheckFunction = void (*)(const CheckRequest& request, CheckResult& result) noexcept;

inline constexpr const char* kCheckSymbol = "ptp_engine_check";  // is a CheckFunction

}  // namespace ptp::engine
