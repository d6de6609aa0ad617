// Judges a plugin's file for its author, by the rules of engine/check_rules.hpp.
#pragma once

#include "engine.hpp"
#include "engine/check_rules.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

// What a rule has found.
struct Finding {
    engine::RuleOutcome outcome = engine::RuleOutcome::kFailed;
    std::string reason;          // "" of what is skipped because the rule does not concern it
    std::string component = {};  // "": it is about the file
    std::string fix = {};        // "": that of the rule
    bool is_conclusive = true;   // false: what ended the process has no cause in the plugin
    int signal = 0;              // that has ended the process; 0: none
};
using Findings = std::vector<Finding>;

struct RuleReport {
    engine::RuleId rule = engine::RuleId::kPluginFile;
    engine::RuleOutcome outcome = engine::RuleOutcome::kPassed;  // of the findings
    Findings findings = {};                                      // without those that have passed
};

enum class Verdict { kAccepted, kIncomplete, kRefused };

std::string_view to_string(Verdict verdict);

struct PluginReport {
    std::filesystem::path file;
    std::vector<RuleReport>
        rules;                // by number: those asked for, and needed ones that fail or stop them
    bool is_strict = false;   // warnings refuse it too
    std::string plugin = {};  // its name; "": the file has no manifest that can be read

    // One rule that refuses it is enough, whatever was not tried.
    [[nodiscard]] Verdict verdict() const;

    // Whether all rules were tried that are shown, and each component was run for them.
    [[nodiscard]] bool is_complete() const;
};

struct CheckOptions {
    int time_limit_s = 20;                               // for each rule and component
    std::filesystem::path home = {};                     // what "~" expands to
    std::vector<experiment::ComponentEntry> given = {};  // components with settings of --with
    std::vector<engine::RuleId> rules = {};              // empty: all
    std::uint64_t seed = 1;
    bool is_strict = false;  // warnings refuse a plugin too
};

// What other rules need is tried too. What reads the file and what the plugin does
// are in processes of their own. REQUIRES: this one has one thread.
PluginReport check_plugin(const std::filesystem::path& path, const CheckOptions& options,
                          Engine& engine);

}  // namespace ptp::inspect
