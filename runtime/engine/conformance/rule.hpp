// What the rules that try a component have in common.

#pragma once

#include "engine/check_rules.hpp"
#include "engine/conformance/attempt.hpp"
#include "engine/conformance/lone_trial.hpp"
#include "engine/conformance/shared_text.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

struct RuleResult {
    RuleOutcome outcome = RuleOutcome::kPassed;
    std::string reason = {};  // "" of what is skipped: the rule does not concern the component
    std::string fix = {};     // "": that of the rule
};

inline RuleResult rule_failed(std::string reason, std::string fix = "") {
    return {RuleOutcome::kFailed, std::move(reason), std::move(fix)};
}

inline RuleResult rule_skipped(std::string reason = "") {
    return {RuleOutcome::kSkipped, std::move(reason), {}};
}

// What it is about. Lives in the process in which the rule is tried.
struct RuleContext {
    const CheckedComponent& candidate;
    const Attempt& attempt;  // with which the component runs
    const ptp_component_info& info;
    std::filesystem::path folder;  // for what it writes
    std::uint64_t seed = 1;
    SharedText& last_step;  // what is tried, for the process that learns of a crash

    void step(const std::string& text) const { last_step.set(text); }

    // Whether it runs with settings that its author has not provided.
    [[nodiscard]] bool has_made_up_settings() const {
        return attempt.entry->settings.members().size() > candidate.entry.settings.members().size();
    }

    // Of a folder of this name. Throws RunError.
    [[nodiscard]] std::unique_ptr<LoneTrial> new_trial(
        const std::string& name, InputMemory memory = InputMemory::kPlain) const;
};

// One rule. It may throw RunError, which is a failure where the component breaks the contract, and
// else a reason why it was not tried to the end.
struct ComponentRule {
    RuleId id;
    RuleResult (*check)(const RuleContext& context);
    // Whether it may concern the component, by its declaration; nullptr: it always does.
    bool (*concerns)(const plugin::Component& component) = nullptr;
};

// All of them but rule 204, by number.
[[nodiscard]] const std::vector<ComponentRule>& component_rules();

// Whether its manifest names the ability, or does not state which it has.
[[nodiscard]] bool may_have(const plugin::Component& component, const char* ability);

}  // namespace ptp::engine
