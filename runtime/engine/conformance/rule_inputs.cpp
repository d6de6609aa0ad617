#include "engine/conformance/rule_inputs.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "engine/conformance/guarded_tensor.hpp"

#include <ATen/ops/zeros.h>
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

enum class Wrong { kNarrower, kWider, kFewerDimensions, kOtherType };

std::string wrong_tensor_text(const at::Tensor& tensor) {
    return fmt::format("[{}] of {}", join(tensor.sizes().vec(), ", "),
                       c10::toString(tensor.scalar_type()));
}

// nullopt where there is no such tensor.
std::optional<at::Tensor> made_wrong(const at::Tensor& tensor, Wrong wrong) {
    const bool has_columns = tensor.dim() > 1;
    switch (wrong) {
        case Wrong::kNarrower:
            if (has_columns && tensor.size(-1) > 1) {
                return tensor.narrow(-1, 0, tensor.size(-1) - 1).contiguous();
            }
            return std::nullopt;
        case Wrong::kWider:
            if (has_columns) {
                std::vector<std::int64_t> sizes = tensor.sizes().vec();
                ++sizes.back();
                return at::zeros(sizes, tensor.options());
            }
            return std::nullopt;
        case Wrong::kFewerDimensions:
            if (has_columns) {
                return tensor.select(-1, 0).contiguous();
            }
            return std::nullopt;
        case Wrong::kOtherType:
            return tensor.to(tensor.is_floating_point() ? at::kByte : at::kFloat);
    }
    return std::nullopt;
}

// Why it breaks the contract where an input is wrong; "" where it refuses it, or computes
// something.
std::string problem_with(LoneTrial& trial, const RuleContext& context, int stream, Wrong wrong) {
    const LoneStep step{.is_training = false};
    trial.prepare(step);
    at::Tensor& input = trial.frame()[stream].tensor;
    const std::optional<at::Tensor> other = made_wrong(input, wrong);
    if (!other) {
        return "";
    }
    const std::string what =
        fmt::format("input '{}' as {} in place of {}",
                    trial.plan().streams[static_cast<std::size_t>(stream)].name,
                    wrong_tensor_text(*other), wrong_tensor_text(input));
    context.step(what);
    input = guarded_copy(*other);
    try {
        trial.call(step);
    } catch (const RunError& error) {
        return error.code() == kPluginError
                   ? fmt::format("{}: {}", what, explanation_of(error).reason)
                   : "";
    }
    return "";
}

std::vector<Outcome> inputs_of(LoneTrial& trial) {
    std::vector<Outcome> inputs;
    for (const pipeline::Binding& input : trial.instance().node().inputs) {
        if (input.stream >= 0) {
            inputs.push_back(
                {fmt::format("input '{}'", input.name), bits_of(trial.frame()[input.stream])});
        }
    }
    return inputs;
}

}  // namespace

RuleResult check_wrong_shapes(const RuleContext& context) {
    const auto trial = context.new_trial("trial", true);
    bool is_tried = false;
    for (const pipeline::Binding& input : trial->instance().node().inputs) {
        if (input.stream < 0 || !is_tensor(trial->frame()[input.stream].element)) {
            continue;
        }
        is_tried = true;
        for (const Wrong wrong :
             {Wrong::kNarrower, Wrong::kWider, Wrong::kFewerDimensions, Wrong::kOtherType}) {
            const std::string problem = problem_with(*trial, context, input.stream, wrong);
            if (!problem.empty()) {
                return rule_failed(problem);
            }
        }
    }
    return is_tried ? RuleResult{} : rule_skipped();
}

RuleResult check_inputs_unchanged(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    trial->begin_set();
    for (const bool is_training : {true, false}) {
        const LoneStep step{.is_training = is_training};
        trial->prepare(step);
        const std::vector<Outcome> before = inputs_of(*trial);
        if (before.empty()) {
            return rule_skipped();
        }
        trial->call(step);
        const std::string what = first_difference(before, inputs_of(*trial));
        if (!what.empty()) {
            return rule_failed(fmt::format("{} is changed in place in {}", what,
                                           is_training ? "training" : "evaluation"));
        }
    }
    return {};
}

}  // namespace ptp::engine
