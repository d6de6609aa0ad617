// Runs the work of a rule in a separate process, and reports its result, or how the process ended.

#pragma once

#include "engine/conformance/rule.hpp"
#include "engine/swap/trial.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace ptp::engine {

struct RuleTrial {
    TrialLimit limit;
    std::filesystem::path folder;  // for files written during the trial; removed afterwards
};

// Returns the work's result; if it throws, a failure if the error is a breach of the contract,
// otherwise that the rule was skipped. `last_step` is named if the process crashes. `output`, which
// may be nullptr, is set to what the work has written there.
RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    const std::function<RuleResult(std::string& output)>& work,
                    std::string* output = nullptr);

}  // namespace ptp::engine
