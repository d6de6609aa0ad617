// Judges a plugin's file for its author.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::inspect {

struct Verdict {
    std::string rule;                   // "exports one symbol"
    std::vector<std::string> problems;  // none: passed
    std::vector<std::string> notes = {};
};

// All rules, in order; ends early where one that others stand on is broken. Loads the plugin in a
// process of its own.
std::vector<Verdict> check_plugin(const std::filesystem::path& path, int time_limit_s);

// A line for each rule, and one below it for each problem.
std::string verdict_text(const std::vector<Verdict>& verdicts);

bool all_passed(const std::vector<Verdict>& verdicts);

}  // namespace ptp::inspect
