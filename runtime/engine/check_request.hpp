// What a program asks of the engine about the components of a plugin, through a symbol of
// libptp-engine.so.

#pragma once

#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

struct CheckRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;     // empty; for copies and for what components write
    std::filesystem::path home = {};  // what "~" expands to
    int time_limit_s = 60;            // for each component

    // Components with settings that their author provides: each is tried with them instead of with
    // those that are made up. Of types of the plugin.
    std::vector<experiment::ComponentEntry> given = {};
};

enum class Finding {
    kPassed,
    kBroken,    // it crashes, or is not what it declares
    kForgets,   // an interruption changes what comes after it
    kNotTried,  // nothing was found with which it runs
};

struct ComponentVerdict {
    std::string component;  // "LeNet5", or "LeNet5 (data.toml:3:1)" with settings that were given
    Finding finding = Finding::kPassed;
    std::string reason = {};  // of what is not passed
    std::string advice = {};  // how to make it possible to try what was not tried
};

struct CheckResult {
    std::vector<ComponentVerdict> verdicts;
    std::string error;  // why there are none
};

// Runs each component on made-up values. [main], in a process of its own: what a plugin does when
// it is loaded is done there.
using CheckFunction = void (*)(const CheckRequest& request, CheckResult& result) noexcept;

inline constexpr const char* kCheckSymbol = "ptp_engine_check";  // is a CheckFunction

}  // namespace ptp::engine
