// Runs work that may crash or never end in a separate process.
#pragma once

#include "check.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::inspect {

struct RuleFinding {
    engine::RuleId rule;
    Finding finding;
};

struct ChildFindings {
    std::vector<RuleFinding> findings;  // incomplete if the process did not end well
    // The way in which it crashed or timed out: "ended by signal 11 (Segmentation fault)". "" if it
    // ended well.
    Finding failure = {engine::RuleOutcome::kPassed, ""};
};

// Runs `work` in a child process, which is killed after the time limit. The work must not throw.
// REQUIRES: the process has one thread.
ChildFindings try_in_child(const std::function<std::vector<RuleFinding>()>& work, int time_limit_s);

// Runs the work of one rule; the findings include how the process has ended, and exceptions of the
// work.
Findings find_in_child(const std::function<Findings()>& work, int time_limit_s);

}  // namespace ptp::inspect
