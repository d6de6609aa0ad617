#include "engine/conformance/rule.hpp"

#include "engine/conformance/interruption.hpp"
#include "engine/conformance/rule_batches.hpp"
#include "engine/conformance/rule_creation.hpp"
#include "engine/conformance/rule_inputs.hpp"
#include "engine/conformance/rule_parameters.hpp"
#include "engine/conformance/rule_settings.hpp"
#include "engine/conformance/rule_sharing.hpp"
#include "engine/conformance/rule_writes.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>

#include <algorithm>

namespace ptp::engine {

namespace {

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

}  // namespace

std::unique_ptr<LoneTrial> RuleContext::new_trial(const std::string& name,
                                                  InputMemory memory) const {
    return std::make_unique<LoneTrial>(
        *attempt.pipeline, info, LoneTrial::Options{folder / name, attempt.reals, seed, memory});
}

bool may_have(const plugin::Component& component, const char* ability) {
    return !component.abilities ||
           std::ranges::find(*component.abilities, ability) != component.abilities->end();
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

}  // namespace ptp::engine
