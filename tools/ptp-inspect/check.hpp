// Checks a plugin's file for its author, by the rules of engine/check_rules.hpp.
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

// A finding of a rule.
struct Finding {
    engine::RuleOutcome outcome = engine::RuleOutcome::kFailed;
    std::string reason;          // "" if skipped because the rule does not apply
    std::string component = {};  // "": it concerns the file
    std::string fix = {};        // "": that of the rule
    bool is_conclusive = true;   // false: the process ended for another reason than the plugin
    int signal = 0;              // that ended the process; 0: none
};
using Findings = std::vector<Finding>;

struct RuleReport {
    engine::RuleId rule = engine::RuleId::kPluginFile;
    engine::RuleOutcome outcome = engine::RuleOutcome::kPassed;  // combines the findings
    Findings findings = {};                                      // without the passed ones
};

enum class Verdict { kAccepted, kIncomplete, kRefused };

std::string_view to_string(Verdict verdict);

struct PluginReport {
    std::filesystem::path file;
    std::vector<RuleReport> rules;  // by number: requested ones, and needed ones that fail
    bool is_strict = false;         // warnings reject the plugin too
    std::string plugin = {};        // its name; "": the file has no readable manifest

    // Returns the result: one rejecting rule suffices, even if others were not tried.
    [[nodiscard]] Verdict verdict() const;

    // Returns whether all shown rules were tried, and each component was run for them.
    [[nodiscard]] bool is_complete() const;
};

struct CheckOptions {
    int time_limit_s = 20;                               // per rule and component
    std::filesystem::path home = {};                     // what "~" expands to
    std::vector<experiment::ComponentEntry> given = {};  // components with settings of --with
    std::vector<engine::RuleId> rules = {};              // empty: all
    std::uint64_t seed = 1;
    bool is_strict = false;  // warnings reject a plugin too
};

// Checks a plugin, including the rules that the requested ones need. Separate processes read the
// file and run the plugin. REQUIRES: this process has one thread.
PluginReport check_plugin(const std::filesystem::path& path, const CheckOptions& options,
                          Engine& engine);

}  // namespace ptp::inspect
