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
#include <array>
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
    // It may be refused by an error of the data, such as by a batch normalization in training,
    // which has no variance of one value.
    bool may_be_refused = false;
};

std::string batch_text(const TriedBatch& batch) {
    return fmt::format("a batch of {} in {}", batch.size,
                       batch.is_training ? "training" : "evaluation");
}

// Runs a batch. Returns the error that refuses it; nullopt if there is none.
std::optional<RunError> refusal_of(const TriedBatch& batch, std::uint64_t number,
                                   const RuleContext& context, LoneTrial& trial) {
    context.step(batch_text(batch));
    try {
        static_cast<void>(trial.run({number, batch.size, batch.is_training}));
        return std::nullopt;
    } catch (const RunError& error) {
        return RunError(error.code(), explanation_of(error).reason);
    }
}

RuleResult check_batches(const RuleContext& context, std::initializer_list<TriedBatch> batches) {
    const auto trial = context.new_trial("trial", InputMemory::kGuarded);
    trial->begin_set();
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
    switch (wrong) {
        case Wrong::kNarrower:
        case Wrong::kWider:
            return is_last_size_bound(node, input);
        case Wrong::kFewerDimensions:
            return input.has_shape;
        case Wrong::kOtherType:
            return false;
    }
    return false;
}

struct WrongInput {
    std::string what;       // "input 'x' as [4, 3] of Float in place of [4, 4] of Float"; "": none
    std::string problem;    // why it breaks the contract; "" if it refuses the input, or takes it
    bool is_taken = false;  // it takes the input and writes outputs of the declared sizes
};

WrongInput tried_with(LoneTrial& trial, const RuleContext& context,
                      const pipeline::Binding& binding, Wrong wrong) {
    const LoneStep step{.is_training = false};
    trial.prepare(step);
    at::Tensor& input = trial.frame()[binding.stream].tensor;
    const std::optional<at::Tensor> other = made_wrong(input, wrong);
    if (!other) {
        return {};
    }
    WrongInput result{
        fmt::format("input '{}' as {} in place of {}",
                    trial.plan().streams[static_cast<std::size_t>(binding.stream)].name,
                    wrong_tensor_text(*other), wrong_tensor_text(input)),
        ""};
    context.step(result.what);
    input = guarded_copy(*other);
    try {
        trial.call(step);
    } catch (const RunError& error) {
        if (error.code() == kPluginError) {
            result.problem = fmt::format("{}: {}", result.what, explanation_of(error).reason);
        }
        return result;
    }
    try {
        trial.check_outputs(step);
        result.is_taken = true;
    } catch (const RunError&) {  // the host refuses its outputs
    }
    return result;
}

RuleResult taken_without_a_word(const std::vector<std::string>& taken) {
    return {RuleOutcome::kWarning,
            fmt::format("takes {}{} without a word, and its outputs do not show it", taken.front(),
                        taken.size() == 1 ? "" : fmt::format(" (and {} more)", taken.size() - 1)),
            "compare the sizes of its inputs with what was declared and refuse others by a "
            "DataError, or declare the port for them, such as \"B, ...\""};
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
    const at::Tensor& reals = left.reals;
    if (!reals.defined() || !right.reals.defined() || reals.sizes() != right.reals.sizes()) {
        return left.bits == right.bits;
    }
    constexpr double kShare = 1e-3;  // of the greatest number
    const bool is_short = reals.element_size() < 4;
    const at::Tensor numbers = reals.to(at::kDouble);
    const double greatest =
        numbers.numel() == 0 ? 0 : numbers.nan_to_num(0, 0, 0).abs().max().item<double>();
    return at::allclose(numbers, right.reals.to(at::kDouble), 0,
                        (is_short ? 30 : 1) * kShare * std::max(greatest, 1e-6), true);
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

}  // namespace

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
            const WrongInput tried = tried_with(*trial, context, input, wrong);
            if (!tried.problem.empty()) {
                return rule_failed(tried.problem);
            }
            if (tried.is_taken && is_excluded(trial->instance().node(), input, wrong)) {
                taken.push_back(tried.what);
            }
        }
    }
    if (!taken.empty()) {
        return taken_without_a_word(taken);
    }
    return is_tried ? RuleResult{} : rule_skipped();
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
    plain->begin_set();
    strided->begin_set();
    const Outcomes expected = plain->evaluation(0);
    context.step("inputs whose elements do not lie side by side");
    Outcomes found;
    try {
        found = strided->evaluation(0);
    } catch (const RunError& error) {
        // A refusal computes nothing wrong, and components of older plugins have no other way.
        return {RuleOutcome::kWarning,
                fmt::format("inputs whose elements do not lie side by side: {}",
                            explanation_of(error).reason),
                ""};
    }
    const std::string what = first_distance(expected, found);
    if (what.empty()) {
        return {};
    }
    const auto again = context.new_trial("again");
    again->begin_set();
    if (!first_distance(expected, again->evaluation(0)).empty()) {
        return rule_skipped(
            "its outputs differ with the same inputs, too: see rule 218 (determinism)");
    }
    return rule_failed(fmt::format(
        "{} is another one where the elements of the inputs do not lie side by side", what));
}

RuleResult check_inputs_unchanged(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    trial->begin_set();
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

}  // namespace ptp::solo
