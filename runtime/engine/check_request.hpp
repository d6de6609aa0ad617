// What a program asks of the engine about the components of a plugin, through a symbol of
// libptp-engine.so.

#pragma once

#include "engine/check_rules.hpp"
#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// The stream of an optional input that is not to be wired.
inline constexpr const char* kUnwired = "-";

struct CheckRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;     // empty; for copies and for what components write
    std::filesystem::path home = {};  // what "~" expands to
    int time_limit_s = 60;            // for each component and rule
    std::uint64_t seed = 1;           // of made-up values, and of what components draw

    // Components with settings that their author provides: each is tried with them instead of with
    // those that are made up. Of types of the plugin.
    std::vector<experiment::ComponentEntry> given = {};

    // Of those that try a component; rule 204, which the others need, is tried always.
    std::vector<RuleId> rules = {};
};

// What came of a rule for a component.
struct ComponentVerdict {
    std::string component;  // "LeNet5", or "LeNet5 (data.toml:3:1)" with settings that were given
    RuleId rule = RuleId::kRuns;
    RuleOutcome outcome = RuleOutcome::kPassed;
    std::string reason = {};  // of what is not passed; "" where the rule does not concern it
    std::string fix = {};     // "": that of the rule
};

struct CheckResult {
    std::vector<ComponentVerdict> verdicts;
    std::string error;  // why there are none
};

// Runs each component on made-up values, for each rule in a process of its own. [main], in a
// process of its own too: what a plugin does when it is loaded is done there.
using CheckFunction = void (*)(const CheckRequest& request, CheckResult& result) noexcept;

inline constexpr const char* kCheckSymbol = "ptp_engine_check";  // is a CheckFunction

}  // namespace ptp::engine
