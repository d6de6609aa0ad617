// Judges a plugin's file for its author.
#pragma once

#include "engine.hpp"
#include "experiment/experiment.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::inspect {

struct Verdict {
    std::string rule;                   // "exports one symbol"
    std::vector<std::string> problems;  // none: passed
    std::vector<std::string> notes = {};
};

struct CheckOptions {
    int time_limit_s = 20;                               // for loading, and for each component
    std::filesystem::path home = {};                     // what "~" expands to
    std::vector<experiment::ComponentEntry> given = {};  // components with settings of --with
};

// All rules, in order; ends early if a rule that others depend on is broken. What the plugin does
// is done in processes of their own. REQUIRES: this one has one thread.
std::vector<Verdict> check_plugin(const std::filesystem::path& path, const CheckOptions& options,
                                  Engine& engine);

// A line for each rule, and some below it for each problem.
std::string verdict_text(const std::vector<Verdict>& verdicts);

bool all_passed(const std::vector<Verdict>& verdicts);

}  // namespace ptp::inspect
