// Work that may crash or never end, done in a process of its own.
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
    // How it has ended, "ended by signal 11 (Segmentation fault)": crashed or timed out. "" if it
    // ended well.
    Finding failure = {engine::RuleOutcome::kPassed, ""};
};

// Runs `work` in a child process, which is killed after the time limit. The work must not throw.
// REQUIRES: the process has one thread.
ChildFindings try_in_child(const std::function<std::vector<RuleFinding>()>& work, int time_limit_s);

// The same of one rule; how the process has ended is one of the findings, and so is what the work
// has thrown.
Findings find_in_child(const std::function<Findings()>& work, int time_limit_s);

}  // namespace ptp::inspect
