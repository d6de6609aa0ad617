// Requests of a program about one component alone, through symbols of libptp-engine.so: to check
// it, to replay a recording of it, and for the layout of its tensors and state in checkpoints.

#pragma once

#include "base/value.hpp"
#include "engine/check_rules.hpp"
#include "experiment/experiment.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
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

struct TensorLayout {
    std::string name;
    std::string form;  // "parameter Float [3, 4]", "buffer Long []"
};

struct ComponentLayout {
    std::string component;
    std::string attempt;                     // the settings and sizes of its creation; see below
    std::vector<TensorLayout> tensors = {};  // in the order of the component
    std::optional<std::int64_t> state_version = {};  // nullopt: no state except tensors
    std::string problem = {};                        // why it could not be created; "" if it was
};

struct LayoutRequest {
    const plugin::CatalogEntry& plugin;
    std::filesystem::path folder;     // empty; for copies and components' files
    std::filesystem::path home = {};  // the expansion of "~"
    int time_limit_s = 60;            // for each component
    // The attempts of another build's layout, by component name, so that both are comparable. For
    // other components one is found by trying.
    std::map<std::string, std::string> attempts = {};
};

struct LayoutResult {
    std::vector<ComponentLayout> components;
    std::string error;  // why there are none
};

// Creates each component with made-up settings and sizes, in a process of its own. [main], in a
// process of its own: loading a plugin runs its code there.
using LayoutFunction = void (*)(const LayoutRequest& request, LayoutResult& result) noexcept;

inline constexpr const char* kLayoutSymbol = "ptp_engine_layout";  // is a LayoutFunction

}  // namespace ptp::engine
