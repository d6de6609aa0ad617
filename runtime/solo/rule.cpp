// The list of the rules of `ptp-inspect --check`, with the components that each one applies to; and
// the child process in which a rule is tried. The rules themselves are in rules_on_*.cpp.

#include "solo/rule.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>

#include <fmt/core.h>

#include <algorithm>
#include <exception>

namespace ptp::solo {

namespace {

// Returns whether its manifest names the ability, or does not state which it has.
bool may_have(const plugin::Component& component, const char* ability) {
    return !component.abilities ||
           std::ranges::find(*component.abilities, ability) != component.abilities->end();
}

bool may_have_parameters(const plugin::Component& component) {
    return may_have(component, PTP_EXTENSION_PARAMETERS);
}

bool may_have_state(const plugin::Component& component) {
    return may_have_parameters(component) || may_have(component, PTP_EXTENSION_STATE);
}

bool may_claim_threads(const plugin::Component& component) {
    return component.kind == plugin::Kind::kTask || may_have(component, PTP_EXTENSION_SAMPLES);
}

bool is_no_task(const plugin::Component& component) {
    return component.kind != plugin::Kind::kTask;
}

bool has_settings(const plugin::Component& component) {
    return !component.settings.empty();
}

constexpr char kSeparator = '\0';

std::string result_text(const RuleResult& result, const std::string& output) {
    return fmt::format("{}{}{}{}{}{}", static_cast<int>(result.outcome), result.reason, kSeparator,
                       result.fix, kSeparator, output);
}

RuleResult result_from(const std::string& text, std::string* output) {
    const std::size_t reason = text.find(kSeparator);
    const std::size_t fix = text.find(kSeparator, reason + 1);
    if (output != nullptr) {
        *output = text.substr(fix + 1);
    }
    return {static_cast<RuleOutcome>(text.front() - '0'), text.substr(1, reason - 1),
            text.substr(reason + 1, fix - reason - 1)};
}

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

const std::vector<ComponentRule>& component_rules() {
    static const std::vector<ComponentRule> rules = {
        {RuleId::kCreatedTwice, check_created_twice},
        {RuleId::kDefaults, check_defaults},
        {RuleId::kSettingLimits, check_setting_limits, has_settings},
        {RuleId::kParameterOrder, check_parameter_order, may_have_parameters},
        {RuleId::kGradients, check_gradients, may_have_parameters},
        {RuleId::kStateRoundTrip, check_state_round_trip, may_have_state},
        {RuleId::kInterruption, check_interruption},
        {RuleId::kBatchSizes, check_batch_sizes},
        {RuleId::kBatchOfOne, check_batch_of_one},
        {RuleId::kEmptyBatch, check_empty_batch},
        {RuleId::kWrongShapes, check_wrong_shapes, is_no_task},
        {RuleId::kInputsUnchanged, check_inputs_unchanged, is_no_task},
        {RuleId::kThreads, check_threads, may_claim_threads},
        {RuleId::kDeterminism, check_determinism},
        {RuleId::kSharedGenerators, check_shared_generators},
        {RuleId::kWrites, check_writes},
        {RuleId::kProcessState, check_process_state},
        {RuleId::kStridedInputs, check_strided_inputs, is_no_task},
    };
    return rules;
}

RuleResult try_rule(const RuleTrial& trial, SharedText& last_step,
                    c10::function_ref<RuleResult(std::string& output)> work, std::string* output) {
    last_step.set("");
    const ChildResult child = run_in_child(trial.limit, trial.folder, [&] {
        std::filesystem::current_path(trial.folder);  // what is written to it is removed
        std::string written;
        RuleResult found;
        try {
            found = work(written);
        } catch (const std::exception& error) {
            found = result_of(error);
        }
        return result_text(found, written);
    });
    std::filesystem::remove_all(trial.folder);
    if (!child.end) {
        return result_from(child.text, output);
    }
    const std::string step = last_step.get();
    return {child.is_late ? RuleOutcome::kTimedOut : RuleOutcome::kCrashed,
            step.empty() ? child.end->reason
                         : fmt::format("{}; last step: {}", child.end->reason, step),
            child.is_late ? "" : child.end->fix};
}

}  // namespace ptp::solo
