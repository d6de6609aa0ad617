// Compares weights before and after a step until one has moved.

#include "engine/optimizer/weight_watch.hpp"

#include "base/number.hpp"

#include <ATen/ops/count_nonzero.h>
#include <ATen/ops/equal.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace ptp::engine {

namespace {

// Limits the weights compared in the first step, so that it needs no more memory than later ones.
constexpr std::size_t kFirstCopyBytes = std::size_t{1} << 20U;

bool has_gradient(const NamedParameter& parameter) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) {
        return false;
    }
    const at::Tensor values = gradient.is_sparse() ? gradient._values() : gradient;
    return values.count_nonzero().item<std::int64_t>() > 0;
}

}  // namespace

void WeightWatch::begin_step(const std::vector<NamedParameter>& parameters) {
    if (is_done()) {
        return;
    }
    const c10::AutoGradMode without_gradients(false);
    has_gradient_ = has_gradient_ || std::ranges::any_of(parameters, has_gradient);
    if (!has_moved_ && before_.empty()) {
        copy_weights(parameters,
                     steps_ == 0 ? kFirstCopyBytes : std::numeric_limits<std::size_t>::max());
    }
}

void WeightWatch::end_step(const std::vector<NamedParameter>& parameters) {
    if (is_done()) {
        return;
    }
    const c10::AutoGradMode without_gradients(false);
    has_gradient_ = has_gradient_ || std::ranges::any_of(parameters, has_gradient);
    has_moved_ = has_moved_ || std::ranges::any_of(before_, [&](const auto& copy) {
                     return !at::equal(parameters[copy.first].tensor, copy.second);
                 });
    if (has_moved_ || steps_ == 0) {
        before_.clear();
    }
    ++steps_;
}

std::string WeightWatch::problem(bool is_end) {
    // After the first step few weights are compared, so that it shows gradients alone.
    const int steps_to_know = has_gradient_ ? 2 : 1;
    const bool is_known = steps_ >= kSteps || (is_end && steps_ >= steps_to_know);
    if (!is_known || is_done()) {
        return "";
    }
    const std::string steps = counted(steps_, "step");
    std::string text =
        has_gradient_
            ? fmt::format(
                  "no weight has moved in {} of the optimizer\n    fix: set a higher "
                  "training.optimizer.lr: the steps are too small for the weights",
                  steps)
            : fmt::format(
                  "nothing is learned: all gradients were 0 in {} of the optimizer\n    "
                  "fix: look at what is between the models and the loss: a log-softmax of "
                  "a single prediction is always 0, an activation may be 0 for every "
                  "sample, or the loss may not read what a model writes",
                  steps);
    has_gradient_ = has_moved_ = true;  // reported once
    before_.clear();
    return text;
}

void WeightWatch::copy_weights(const std::vector<NamedParameter>& parameters,
                               std::size_t limit_bytes) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const at::Tensor weights = parameters[i].tensor.detach();
        if (weights.nbytes() <= limit_bytes) {
            limit_bytes -= weights.nbytes();
            before_.emplace_back(i, weights.clone());
        }
    }
}

}  // namespace ptp::engine
