// The rules on what a component keeps: parameters, buffers and exported state. An interrupted run
// must continue as if there had been no interruption, so everything must be in its tensors, in its
// exports or in the random generator of the host.

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/fit.hpp"
#include "solo/rule.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand_like.h>
#include <c10/core/CPUAllocator.h>
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

// Returns "parameter 'fc.weight' of [4, 4], Float", for each tensor.
std::vector<std::string> tensor_lines(const std::vector<NamedTensor>& tensors) {
    std::vector<std::string> texts;
    for (const NamedTensor& named : tensors) {
        texts.push_back(fmt::format(
            "{} '{}' of [{}], {}", named.role == PTP_PARAMETER ? "parameter" : "buffer", named.name,
            join(named.tensor.sizes().vec(), ", "), c10::toString(named.tensor.scalar_type())));
    }
    return texts;
}

bool is_trained_parameter(const NamedTensor& named) {
    return named.role == PTP_PARAMETER && named.tensor.requires_grad();
}

// Returns the sum of all outputs with gradients, with a separate weight for each value; undefined
// if there are none.
at::Tensor weighted_sum(LoneTrial& trial) {
    at::Tensor sum;
    const auto add = [&](const at::Tensor& tensor) {
        if (tensor.defined() && tensor.requires_grad()) {
            const at::Tensor part = (tensor * at::rand_like(tensor)).sum();
            sum = sum.defined() ? sum + part : part;
        }
    };
    for (const pipeline::Binding& output : trial.instance().node().outputs) {
        if (output.stream >= 0) {
            add(trial.frame()[output.stream].tensor);
            for (const at::Tensor& tensor : trial.frame()[output.stream].list.tensors()) {
                add(tensor);
            }
        }
    }
    return sum;
}

std::string state_text(const LoneTrial::Saved& saved) {
    return saved.state ? inline_toml(saved.state->value) : "";
}

// Returns the part of both in which they differ, for a message.
std::string about_difference(const std::string& left, const std::string& right) {
    const auto at = std::ranges::mismatch(left, right).in1 - left.begin();
    constexpr std::ptrdiff_t kBefore = 20;
    constexpr std::size_t kLength = 60;
    const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(at - kBefore, 0));
    const auto part = [&](const std::string& text) {
        return (begin > 0 ? "..." : "") + text.substr(std::min(begin, text.size()), kLength);
    };
    return fmt::format("'{}' became '{}'", part(left), part(right));
}

constexpr std::uint64_t kSteps = 6;         // of training; then one of evaluation
constexpr std::uint64_t kInterruption = 3;  // before this step

// Makes the steps before the interruption.
void begin(LoneTrial& trial) {
    for (std::uint64_t number = 0; number < kInterruption; ++number) {
        trial.step(number);
    }
}

// Returns the outcomes of the steps after the interruption.
Outcomes rest_of(LoneTrial& trial) {
    Outcomes outcomes;
    for (std::uint64_t number = kInterruption; number < kSteps; ++number) {
        append(outcomes, trial.step(number));
    }
    append(outcomes, trial.evaluation(kSteps));
    append(outcomes, trial.end());
    return outcomes;
}

Outcomes all_of(LoneTrial& trial) {
    begin(trial);
    return rest_of(trial);
}

Outcomes uninterrupted(const RuleContext& context, const char* name) {
    return all_of(*context.new_trial(name));
}

// Returns the failure of a run that differs from a plain one, unless two plain ones differ, too.
RuleResult unless_random(const RuleContext& context, const Outcomes& plain, RuleResult failure) {
    if (first_difference(plain, uninterrupted(context, "again")).empty()) {
        return failure;
    }
    return rule_skipped(fmt::format("two runs from one seed differ, which is about rule {}",
                                    engine::rule_of(RuleId::kDeterminism).number()));
}

// Fills newly allocated memory, as far as the C library allows: values that a component does not
// set then differ from run to run.
void fill_memory(int byte) {
    ::mallopt(M_PERTURB, ~byte & 0xff);  // glibc fills with the complement
    constexpr std::size_t kMaxSize = 2048;
    constexpr std::size_t kStep = 16;
    constexpr std::size_t kBlocks = 8;  // of a size, more than are cached for each thread
    for (std::size_t size = kStep; size <= kMaxSize; size += kStep) {
        std::array<void*, kBlocks> blocks{};
        for (void*& block : blocks) {
            block = std::malloc(size);  // NOLINT
            if (block != nullptr) {
                std::memset(block, byte, size);
            }
        }
        for (void* block : blocks) {
            std::free(block);  // NOLINT
        }
    }
}

// Continues with another instance, in the folder that the first has left.
Outcomes interrupted(const RuleContext& context) {
    LoneTrial::Saved saved;
    {
        const auto first = context.new_trial("interrupted");
        begin(*first);
        saved = first->save();
    }
    const auto second = context.new_trial("interrupted");
    second->restore(saved);
    return rest_of(*second);
}

// Gives the tensors of a component other memory, as a prediction does that uses those of a file.
// Returns the old memory, with other numbers in it.
std::vector<at::DataPtr> move_tensors(LoneTrial& trial) {
    std::vector<at::DataPtr> before;
    for (const NamedTensor& named : trial.tensors()) {
        if (engine::can_move(named.tensor)) {
            const std::size_t size = named.tensor.nbytes();
            at::DataPtr memory = c10::GetCPUAllocator()->allocate(size);
            std::memcpy(memory.get(), named.tensor.data_ptr(), size);
            before.push_back(engine::move_tensor(named.tensor, std::move(memory)));
            constexpr int kNotANumber = 0xff;
            std::memset(before.back().get(), kNotANumber, size);
        }
    }
    return before;
}

// Compares them in two calls, of two instances, and after a step.
RuleResult check_parameter_order(const RuleContext& context) {
    const auto trial = context.new_trial("first");
    const std::vector<std::string> first = tensor_lines(trial->tensors());
    if (first.empty()) {
        return rule_skipped();
    }
    std::string problem;
    const auto compare = [&](const std::vector<NamedTensor>& tensors, const char* when) {
        const std::vector<std::string> other = tensor_lines(tensors);
        for (std::size_t i = 0; problem.empty() && i < std::max(first.size(), other.size()); ++i) {
            const std::string before = i < first.size() ? first[i] : "missing";
            const std::string now = i < other.size() ? other[i] : "missing";
            if (before != now) {
                problem =
                    fmt::format("tensor {} is {} at first, and {} {}", i + 1, before, now, when);
            }
        }
    };
    compare(trial->tensors(), "when asked again");
    compare(context.new_trial("second")->tensors(), "in another instance");
    trial->step(0);
    compare(trial->tensors(), "after a step");
    return problem.empty() ? RuleResult{} : rule_failed(problem);
}

// Checks the gradients of a random sum of all outputs.
RuleResult check_gradients(const RuleContext& context) {
    const auto trial = context.new_trial("trial");
    if (std::ranges::none_of(trial->tensors(), is_trained_parameter)) {
        return rule_skipped();
    }
    const LoneStep step;
    trial->prepare(step);
    trial->call(step);
    const at::Tensor sum = weighted_sum(*trial);
    if (!sum.defined()) {
        return rule_failed("no output depends on its parameters by gradients");
    }
    sum.backward();
    std::vector<std::string> names;
    for (const NamedTensor& named : trial->tensors()) {
        if (is_trained_parameter(named) && !named.tensor.grad().defined()) {
            names.push_back(fmt::format("'{}'", named.name));
        }
    }
    return names.empty() ? RuleResult{}
                         : rule_failed(fmt::format("no gradient reaches {}", join(names, ", ")));
}

// Compares the exports of an instance that has imported those of another.
RuleResult check_state_round_trip(const RuleContext& context) {
    auto first = context.new_trial("trial");
    if (!first->instance().has_state() && first->tensors().empty()) {
        return rule_skipped();
    }
    for (std::uint64_t number = 0; number < 3; ++number) {
        static_cast<void>(first->step(number));
    }
    const LoneTrial::Saved saved = first->save();
    if (const std::string again = state_text(first->save()); again != state_text(saved)) {
        return rule_failed(fmt::format("exports another state when asked again: {}",
                                       about_difference(state_text(saved), again)));
    }
    first.reset();
    const auto second = context.new_trial("trial");  // finds the files of the first
    context.step("the import of its own state");
    second->restore(saved);
    const LoneTrial::Saved taken = second->save();
    if (state_text(taken) != state_text(saved)) {
        return rule_failed(fmt::format("exports another state than it has imported: {}",
                                       about_difference(state_text(saved), state_text(taken))));
    }
    for (std::size_t i = 0; i < saved.tensors.size() && i < taken.tensors.size(); ++i) {
        if (bits_of(saved.tensors[i].tensor) != bits_of(taken.tensors[i].tensor)) {
            return rule_failed(fmt::format("tensor '{}' has other values than were restored",
                                           saved.tensors[i].name));
        }
    }
    return {};
}

// Runs all steps at once, and with an interruption, after which another instance continues.
RuleResult check_interruption(const RuleContext& context) {
    context.step("all steps without an interruption");
    const Outcomes whole = uninterrupted(context, "whole");
    context.step("the steps with an interruption");
    std::string what;
    try {
        what = first_difference(whole, interrupted(context));
    } catch (const std::exception& error) {
        return rule_failed(fmt::format("cannot continue after an interruption: {}", error.what()));
    }
    if (what.empty()) {
        return {};
    }
    return unless_random(
        context, whole,
        rule_failed(
            fmt::format(
                "{} differs after an interruption: it keeps something from step to step that is neither a "
                "parameter, nor a buffer, nor in the state that it saves",
                what),
            "register it with module(), or name it in state()"));
}

// Runs all steps twice from one seed, with different content of newly allocated memory.
RuleResult check_determinism(const RuleContext& context) {
    constexpr int kFirstByte = 0x55;
    constexpr int kSecondByte = 0x2a;
    context.step("a run");
    fill_memory(kFirstByte);
    const Outcomes first = uninterrupted(context, "first");
    context.step("another run from the same seed");
    fill_memory(kSecondByte);
    const std::string what = first_difference(first, uninterrupted(context, "second"));
    return what.empty()
               ? RuleResult{}
               : rule_failed(fmt::format("{} differs between two runs from one seed", what));
}

// Runs all steps with the tensors where they were made, and where they were moved to.
RuleResult check_moved_parameters(const RuleContext& context) {
    if (context.new_trial("first")->tensors().empty()) {
        return rule_skipped();
    }
    context.step("steps with its tensors where they were made");
    const Outcomes made = uninterrupted(context, "whole");
    context.step("steps with its tensors in other memory");
    const auto trial = context.new_trial("moved");
    const std::vector<at::DataPtr> before = move_tensors(*trial);
    std::string what;
    try {
        what = first_difference(made, all_of(*trial));
    } catch (const std::exception& error) {
        return rule_failed(fmt::format("fails with its tensors in other memory: {}", error.what()));
    }
    if (what.empty()) {
        return {};
    }
    return unless_random(context, made,
                         rule_failed(fmt::format(
                             "{} differs after its parameters and buffers got other memory before "
                             "the first step: it keeps a pointer to what they had",
                             what)));
}

}  // namespace

std::vector<ComponentRule> rules_on_state() {
    const auto has_parameters = [](const plugin::Component& component) {
        return may_have(component, PTP_EXTENSION_PARAMETERS);
    };
    const auto has_state = [](const plugin::Component& component) {
        return may_have(component, PTP_EXTENSION_PARAMETERS) ||
               may_have(component, PTP_EXTENSION_STATE);
    };
    return {{RuleId::kParameterOrder, check_parameter_order, has_parameters},
            {RuleId::kGradients, check_gradients, has_parameters},
            {RuleId::kStateRoundTrip, check_state_round_trip, has_state},
            {RuleId::kInterruption, check_interruption},
            {RuleId::kDeterminism, check_determinism},
            {RuleId::kMovedParameters, check_moved_parameters, has_parameters}};
}

}  // namespace ptp::solo
