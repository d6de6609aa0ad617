// The child process in which a rule of `ptp-inspect --check` is tried. The rules themselves are in
// rules_on_*.cpp, with the components that each one applies to.

#include "solo/rule.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

namespace ptp::solo {

namespace {

// Judges what the work has thrown.
RuleResult result_of(const std::exception& error) {
    const auto* const run_error = dynamic_cast<const RunError*>(&error);
    const bool is_breach = run_error != nullptr && run_error->code() == kPluginError;
    const Explanation why = explanation_of(error);
    return {is_breach ? RuleOutcome::kFailed : RuleOutcome::kSkipped, why.reason,
            why.fix.empty() ? "correct what the message names" : why.fix};
}

}  // namespace

std::unique_ptr<LoneTrial> RuleContext::new_trial(const std::string& name,
                                                  InputMemory memory) const {
    return std::make_unique<LoneTrial>(
        *attempt.pipeline, info, LoneTrial::Options{folder / name, attempt.reals, seed, memory});
}

std::vector<ComponentRule> component_rules() {
    std::vector<ComponentRule> rules;
    for (const auto some : {rules_on_settings, rules_on_state, rules_on_inputs, rules_on_process}) {
        std::ranges::copy(some(), std::back_inserter(rules));
    }
    std::ranges::sort(rules, {}, &ComponentRule::id);
    return rules;
}

bool may_have(const plugin::Component& component, const char* ability) {
    return !component.abilities || std::ranges::count(*component.abilities, ability) > 0;
}

RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    c10::function_ref<RuleResult(Value& output)> work, Value* output) {
    last_step.set("");
    ChildResult child = run_in_child(trial.limit, trial.folder, [&] {
        std::filesystem::current_path(trial.folder);  // what is written to it is removed
        Value written = Value::table();
        RuleResult found;
        try {
            found = work(written);
        } catch (const std::exception& error) {
            found = result_of(error);
        }
        return Value::table({{"outcome", static_cast<int>(found.outcome)},
                             {"reason", found.reason},
                             {"fix", found.fix},
                             {"output", std::move(written)}});
    });
    std::filesystem::remove_all(trial.folder);
    if (!child.end) {
        if (output != nullptr) {
            *output = *child.value.find("output");
        }
        return {static_cast<RuleOutcome>(child.value.find("outcome")->as_integer()),
                child.value.find("reason")->as_string(), child.value.find("fix")->as_string()};
    }
    const std::string step = last_step.get();
    return {child.is_late ? RuleOutcome::kTimedOut : RuleOutcome::kCrashed,
            step.empty() ? child.end->reason
                         : fmt::format("{}; last step: {}", child.end->reason, step),
            child.is_late ? "" : child.end->fix};
}

}  // namespace ptp::solo
