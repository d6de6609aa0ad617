// A rule of `ptp-inspect --check`: its function, the component that it tries, its result, and the
// child process in which it runs; and the list of all rules. Their names and texts are in
// engine/check_rules.hpp.

#pragma once

#include "engine/check_rules.hpp"
#include "solo/attempt.hpp"
#include "solo/child.hpp"
#include "solo/lone_trial.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

using engine::RuleId;
using engine::RuleOutcome;

struct RuleResult {
    RuleOutcome outcome = RuleOutcome::kPassed;
    std::string reason = {};  // "" if skipped because the rule does not concern the component
    std::string fix = {};     // "": that of the rule
};

inline RuleResult rule_failed(std::string reason, std::string fix = "") {
    return {RuleOutcome::kFailed, std::move(reason), std::move(fix)};
}

inline RuleResult rule_skipped(std::string reason = "") {
    return {RuleOutcome::kSkipped, std::move(reason), {}};
}

// The component that a rule tries. Lives in the process in which the rule is tried.
struct RuleContext {
    const LoneEntry& candidate;
    const Attempt& attempt;  // with which the component runs
    const ptp_component_info& info;
    std::filesystem::path folder;  // for what it writes
    std::uint64_t seed = 1;
    SharedText& last_step;  // what is tried, for the process that learns of a crash

    void step(const std::string& text) const { last_step.set(text); }

    // Returns whether it runs with settings that its author has not provided.
    [[nodiscard]] bool has_made_up_settings() const {
        return attempt.pipeline->settings.members().size() >
               candidate.entry.settings.members().size();
    }

    // Creates the component with a folder of this name. Throws RunError.
    [[nodiscard]] std::unique_ptr<LoneTrial> new_trial(
        const std::string& name, InputMemory memory = InputMemory::kPlain) const;
};

// A rule may throw RunError, which is a failure if the component breaks the contract, and otherwise
// the reason why it was not tried to the end.
struct ComponentRule {
    RuleId id;
    RuleResult (*check)(const RuleContext& context);
    // Returns whether it may concern the component, by its declaration; nullptr: it always does.
    bool (*concerns)(const plugin::Component& component) = nullptr;
};

// Returns all rules by number, except rule 204, which the others need.
[[nodiscard]] std::vector<ComponentRule> component_rules();

// Returns whether its manifest names the ability, or does not state which it has.
[[nodiscard]] bool may_have(const plugin::Component& component, const char* ability);

// The process in which a rule is tried.
struct RuleTrial {
    engine::TrialLimit limit;
    std::filesystem::path folder;  // for files written during the trial; removed afterwards
};

// Returns the work's result; if it throws, a failure if the error is a breach of the contract,
// otherwise that the rule was skipped. `last_step` is named if the process crashes. `output`, which
// may be nullptr, is set to the table that the work has made.
RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    c10::function_ref<RuleResult(Value& output)> work, Value* output = nullptr);

// The rules of rules_on_*.cpp.
std::vector<ComponentRule> rules_on_settings();
std::vector<ComponentRule> rules_on_state();
std::vector<ComponentRule> rules_on_inputs();
std::vector<ComponentRule> rules_on_process();

}  // namespace ptp::solo
