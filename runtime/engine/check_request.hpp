// Requests of a program to check the components of a plugin, through a symbol of libptp-engine.so.

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
    std::filesystem::path folder;     // empty; for copies and components' files
    std::filesystem::path home = {};  // the expansion of "~"
    int time_limit_s = 60;            // for each component and rule
    std::uint64_t seed = 1;           // for made-up values and components' draws

    // Components of the plugin with settings from their author: each is tried with these instead of
    // made-up ones.
    std::vector<experiment::ComponentEntry> given = {};

    // The rules that try a component; rule 204, which the others need, is always tried.
    std::vector<RuleId> rules = {};
};

// The result of a rule for a component.
struct ComponentVerdict {
    std::string component;  // "LeNet5", or with given settings "LeNet5 (data.toml:3:1)"
    RuleId rule = RuleId::kRuns;
    RuleOutcome outcome = RuleOutcome::kPassed;
    std::string reason = {};  // if not passed; "" if the rule does not apply
    std::string fix = {};     // "": the rule's fix
};

struct CheckResult {
    std::vector<ComponentVerdict> verdicts;
    std::string error;  // why there are none
};

// Runs each component on made-up values, in a separate process for each rule. [main], in a process
// of its own: loading a plugin runs its code there.
using CheckFunction = void (*)(const CheckRequest& request, CheckResult& result) noexcept;

inline constexpr const char* kCheckSymbol = "ptp_engine_check";  // is a CheckFunction

}  // namespace ptp::engine
