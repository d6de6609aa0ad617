// Work of a rule in a process of its own: what it finds, or how the process has ended.

#pragma once

#include "engine/conformance/rule.hpp"
#include "engine/swap/trial.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace ptp::engine {

struct RuleTrial {
    TrialLimit limit;
    std::filesystem::path folder;  // for what is written meanwhile; removed afterwards
};

// What the work returns; of work that throws the outcome is a failure where the error is a breach
// of the contract, and otherwise that it was skipped. `last_step` is named where the process
// crashes. `output`, which may be nullptr, is set to what the work has written there.
RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    const std::function<RuleResult(std::string& output)>& work,
                    std::string* output = nullptr);

}  // namespace ptp::engine
