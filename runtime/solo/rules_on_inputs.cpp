// The rules on what a component reads: batches of any number of samples, inputs that are not as
// declared or not row-major, and inputs that it must not change.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/text.hpp"
#include "solo/rule.hpp"

#include <ATen/ops/allclose.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/zeros.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

struct TriedBatch {
    std::int64_t size = 0;
    bool is_training = false;
    // A component may refuse the batch by an error of the data, such as a batch normalization in
    // training, which has no variance of one value.
    bool may_be_refused = false;
};

std::string batch_text(const TriedBatch& batch) {
    return fmt::format("a batch of {} in {}", batch.size,
                       batch.is_training ? "training" : "evaluation");
}

// Returns the error of the work, without its fix; nullopt if there is none.
std::optional<RunError> error_of(c10::function_ref<void()> work) {
    try {
        work();
        return std::nullopt;
    } catch (const RunError& error) {
        return RunError(error.code(), explanation_of(error).reason);
    }
}

std::optional<RunError> refusal_of(const TriedBatch& batch, std::uint64_t number,
                                   const RuleContext& context, LoneTrial& trial) {
    context.step(batch_text(batch));
    return error_of([&] { trial.run({number, batch.size, batch.is_training}); });
}

RuleResult check_batches(const RuleContext& context, std::initializer_list<TriedBatch> batches) {
    const auto trial = context.new_trial("trial", InputMemory::kGuarded);
    std::uint64_t number = 0;
    for (const TriedBatch& batch : batches) {
        const auto error = refusal_of(batch, number++, context, *trial);
        if (!error || (batch.may_be_refused && error->code() != kPluginError)) {
            continue;
        }
        std::string text = fmt::format("{} fails: {}", batch_text(batch), error->what());
        // Settings that were made up may fit one number of samples only, such as the sizes of an
        // output; not if the same number is trained.
        const bool may_be_settings =
            context.has_made_up_settings() && error->code() != kPluginError &&
            (batch.is_training || refusal_of({batch.size, true}, number, context, *trial));
        return may_be_settings ? rule_skipped(std::move(text)) : rule_failed(std::move(text));
    }
    return {};
}

enum class Wrong { kNarrower, kWider, kFewerDimensions, kOtherType };

std::string wrong_tensor_text(const at::Tensor& tensor) {
    return fmt::format("[{}] of {}", join(tensor.sizes().vec(), ", "),
                       c10::toString(tensor.scalar_type()));
}

// Returns nullopt if there is no such tensor.
std::optional<at::Tensor> made_wrong(const at::Tensor& tensor, Wrong wrong) {
    if (wrong == Wrong::kOtherType) {
        return tensor.to(tensor.is_floating_point() ? at::kByte : at::kFloat);
    }
    if (tensor.dim() < 2 || (wrong == Wrong::kNarrower && tensor.size(-1) < 2)) {
        return std::nullopt;
    }
    if (wrong == Wrong::kFewerDimensions) {
        return tensor.select(-1, 0).contiguous();
    }
    std::vector<std::int64_t> sizes = tensor.sizes().vec();
    ++sizes.back();
    return wrong == Wrong::kWider ? at::zeros(sizes, tensor.options())
                                  : tensor.narrow(-1, 0, tensor.size(-1) - 1).contiguous();
}

// Returns whether the last size of a port is a number, or also the size of another place in the
// component's ports.
bool is_last_size_bound(const pipeline::Node& node, const pipeline::Binding& input) {
    if (!input.has_shape || input.shape.empty()) {
        return false;
    }
    const pipeline::Dimension& last = input.shape.back();
    if (last.symbol < 0) {
        return last.size.has_value();
    }
    std::ptrdiff_t places = 0;
    for (const auto* bindings : {&node.inputs, &node.outputs}) {
        for (const pipeline::Binding& binding : *bindings) {
            places += std::ranges::count(binding.shape, last.symbol, &pipeline::Dimension::symbol);
        }
    }
    return places > 1;
}

// Returns whether the declaration of the input excludes it. Numbers of another type are still
// numbers.
bool is_excluded(const pipeline::Node& node, const pipeline::Binding& input, Wrong wrong) {
    return wrong == Wrong::kFewerDimensions
               ? input.has_shape
               : wrong != Wrong::kOtherType && is_last_size_bound(node, input);
}

// Calls the component with a wrong input, and adds it to `taken` if it writes outputs of the
// declared sizes although its declaration excludes the input. Returns why it breaks the contract;
// "" if it refuses the input, or takes it.
std::string problem_with(LoneTrial& trial, const RuleContext& context,
                         const pipeline::Binding& binding, Wrong wrong,
                         std::vector<std::string>& taken) {
    const LoneStep step{.is_training = false};
    trial.prepare(step);
    at::Tensor& input = trial.frame()[binding.stream].tensor;
    const std::optional<at::Tensor> other = made_wrong(input, wrong);
    if (!other) {
        return "";
    }
    const std::string what =
        fmt::format("input '{}' as {} in place of {}",
                    trial.plan().streams[static_cast<std::size_t>(binding.stream)].name,
                    wrong_tensor_text(*other), wrong_tensor_text(input));
    context.step(what);
    input = guarded_copy(*other);
    if (const auto error = error_of([&] { trial.call(step); })) {
        return error->code() == kPluginError ? fmt::format("{}: {}", what, error->what()) : "";
    }
    if (is_excluded(trial.instance().node(), binding, wrong) &&
        !error_of([&] { trial.check_outputs(step); })) {
        taken.push_back(what);
    }
    return "";
}

Outcomes inputs_of(LoneTrial& trial) {
    Outcomes inputs;
    for (const pipeline::Binding& input : trial.instance().node().inputs) {
        if (input.stream >= 0) {
            inputs.push_back(
                {fmt::format("input '{}'", input.name), bits_of(trial.frame()[input.stream])});
        }
    }
    return inputs;
}

// Returns whether both are the same except for the rounding.
bool are_close(const Outcome& left, const Outcome& right) {
    if (!left.reals.defined() || !right.reals.defined() ||
        left.reals.sizes() != right.reals.sizes()) {
        return left.bits == right.bits;
    }
    const bool is_short = left.reals.element_size() < 4;
    const double share = is_short ? 3e-2 : 1e-3;  // of the greatest number
    const at::Tensor numbers = left.reals.to(at::kDouble);
    const double greatest =
        numbers.numel() == 0 ? 0 : numbers.nan_to_num(0, 0, 0).abs().max().item<double>();
    return at::allclose(numbers, right.reals.to(at::kDouble), 0, share * std::max(greatest, 1e-6),
                        true);
}

// Returns the first thing in which they differ by more than the rounding; "" if there is none.
std::string first_distance(const Outcomes& left, const Outcomes& right) {
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!are_close(left[i], right.at(i))) {
            return left[i].what;
        }
    }
    return "";
}

RuleResult check_batch_sizes(const RuleContext& context) {
    return check_batches(context, {{3, true}, {7, true}, {2, true}, {5, false}});
}

RuleResult check_batch_of_one(const RuleContext& context) {
    return check_batches(context, {{1, false}, {1, true, true}});
}

RuleResult check_empty_batch(const RuleContext& context) {
    return check_batches(context, {{0, false, true}});
}

// Tries one input at a time: of one column less or more, of one dimension less, of another type.
RuleResult check_wrong_shapes(const RuleContext& context) {
    const auto trial = context.new_trial("trial", InputMemory::kGuarded);
    bool is_tried = false;
    std::vector<std::string> taken;
    for (const pipeline::Binding& input : trial->instance().node().inputs) {
        if (input.stream < 0 || !engine::is_tensor(trial->frame()[input.stream].element)) {
            continue;
        }
        is_tried = true;
        for (const Wrong wrong :
             {Wrong::kNarrower, Wrong::kWider, Wrong::kFewerDimensions, Wrong::kOtherType}) {
            const std::string problem = problem_with(*trial, context, input, wrong, taken);
            if (!problem.empty()) {
                return rule_failed(problem);
            }
        }
    }
    if (taken.empty()) {
        return is_tried ? RuleResult{} : rule_skipped();
    }
    return {RuleOutcome::kWarning,
            fmt::format("takes {}{} without a word, and its outputs do not show it", taken.front(),
                        taken.size() == 1 ? "" : fmt::format(" (and {} more)", taken.size() - 1)),
            "compare the sizes of its inputs with what was declared and refuse others by a "
            "DataError, or declare the port for them, such as \"B, ...\""};
}

// Gives all inputs at once, in evaluation. Outputs and statistics must be those of row-major
// inputs, except for the rounding, which may differ if libtorch computes on the memory of another
// order.
RuleResult check_strided_inputs(const RuleContext& context) {
    const auto plain = context.new_trial("plain");
    const auto strided = context.new_trial("strided", InputMemory::kStrided);
    const bool has_tensors =
        std::ranges::any_of(plain->instance().node().inputs, [&](const pipeline::Binding& input) {
            return input.stream >= 0 && engine::is_tensor(plain->frame()[input.stream].element);
        });
    if (!has_tensors) {
        return rule_skipped();
    }
    const Outcomes expected = plain->evaluation(0);
    context.step("inputs whose elements do not lie side by side");
    Outcomes found;
    if (const auto error = error_of([&] { found = strided->evaluation(0); })) {
        // A refusal computes nothing wrong, and components of older plugins have no other way.
        return {RuleOutcome::kWarning,
                fmt::format("inputs whose elements do not lie side by side: {}", error->what()),
                ""};
    }
    const std::string what = first_distance(expected, found);
    if (what.empty()) {
        return {};
    }
    const auto again = context.new_trial("again");
    if (!first_distance(expected, again->evaluation(0)).empty()) {
        return rule_skipped(
            "its outputs differ with the same inputs, too: see rule 218 (determinism)");
    }
    return rule_failed(fmt::format(
        "{} is another one where the elements of the inputs do not lie side by side", what));
}

RuleResult check_inputs_unchanged(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    for (const bool is_training : {true, false}) {
        const LoneStep step{.is_training = is_training};
        trial->prepare(step);
        const Outcomes before = inputs_of(*trial);
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

}  // namespace

std::vector<ComponentRule> rules_on_inputs() {
    const auto is_no_task = [](const plugin::Component& component) {
        return component.kind != plugin::Kind::kTask;
    };
    return {{RuleId::kBatchSizes, check_batch_sizes},
            {RuleId::kBatchOfOne, check_batch_of_one},
            {RuleId::kEmptyBatch, check_empty_batch},
            {RuleId::kWrongShapes, check_wrong_shapes, is_no_task},
            {RuleId::kInputsUnchanged, check_inputs_unchanged, is_no_task},
            {RuleId::kStridedInputs, check_strided_inputs, is_no_task}};
}

}  // namespace ptp::solo
