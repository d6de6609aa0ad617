// Checks properties of all losses that average over samples: counting_difference() in run_case.hpp.

#include "base/number.hpp"
#include "ptp-cases/run_case.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ptp::cases {

namespace {

struct Measured {
    double loss;
    double weight;
    at::Tensor gradients;  // of all differentiated inputs, concatenated
};

Measured measure(Instance& loss, const Step& step, const Tensors& inputs) {
    testing::Slots streams;
    std::vector<at::Tensor> leaves;
    for (const auto& [name, tensor] : inputs) {
        at::Tensor input = loss.on_device(tensor);
        if (std::ranges::count(step.differentiated, name) > 0) {
            leaves.push_back(input.requires_grad_());
        }
        streams.emplace(name, input);
    }
    const at::Tensor value = loss.component().run(std::move(streams)).at("loss").tensor();
    value.backward();
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& leaf : leaves) {
        gradients.push_back(leaf.grad().reshape(-1));
    }
    return {.loss = value.item<double>(),
            .weight = loss.component().collect().at("loss_weight"),
            .gradients = torch::cat(gradients)};
}

// Returns the inputs with nan in these samples of all that a loss computes with.
Tensors with_nan(const Tensors& inputs, int64_t from, int64_t to) {
    Tensors result;
    for (const auto& [name, tensor] : inputs) {
        result[name] = tensor.clone();
        if (tensor.is_floating_point() && name != "sample_weights") {
            result[name].slice(0, from, to).fill_(std::numeric_limits<double>::quiet_NaN());
        }
    }
    return result;
}

Tensors part(const Tensors& inputs, int64_t from, int64_t to) {
    Tensors result;
    for (const auto& [name, tensor] : inputs) {
        result[name] = tensor.slice(0, from, to);
    }
    return result;
}

Difference number_difference(const std::string& what, double found, double expected,
                             double tolerance = 0) {
    return std::abs(found - expected) <= tolerance * (1 + std::abs(expected))
               ? Difference()
               : fmt::format("{} = {}, expected {}", what, exact_text(found), exact_text(expected));
}

// Compares the losses and the gradients of a batch.
Difference batch_difference(const std::string& what, const Measured& found, double loss,
                            const at::Tensor& gradients) {
    const Difference one = number_difference("the loss " + what, found.loss, loss);
    return one ? one : difference("the gradient " + what, found.gradients, gradients);
}

}  // namespace

Difference counting_difference(Instance& loss, const Step& step) {
    if (step.differentiated.empty()) {
        throw std::logic_error("counting: differentiate must name inputs");
    }
    Tensors masked;
    for (const auto& input : step.inputs) {
        masked[input.key] = slot_of(input.value).tensor();
    }
    const int64_t count = masked.begin()->second.size(0);
    masked["masks"] = torch::arange(count).ne(1);
    const Measured numbers = measure(loss, step, masked);
    if (const Difference one = batch_difference("with nan in a masked sample",
                                                measure(loss, step, with_nan(masked, 1, 2)),
                                                numbers.loss, numbers.gradients)) {
        return one;
    }
    Tensors all_masked = with_nan(masked, 0, count);
    all_masked["masks"] = torch::zeros_like(masked.at("masks"));
    const Measured nothing = measure(loss, step, all_masked);
    const std::string of_nothing = "of a batch in which nothing counts";
    if (const Difference one =
            batch_difference(of_nothing, nothing, 0, torch::zeros_like(nothing.gradients))) {
        return one;
    }
    if (const Difference one = number_difference("loss_weight " + of_nothing, nothing.weight, 0)) {
        return one;
    }
    constexpr double kRounding = 1e-6;
    const Measured first = measure(loss, step, part(masked, 0, 3));
    const Measured second = measure(loss, step, part(masked, 3, count));
    if (const Difference one =
            number_difference("loss_weight of two batches", first.weight + second.weight,
                              numbers.weight, kRounding)) {
        return one;
    }
    return number_difference("loss * loss_weight of two batches",
                             first.weight * first.loss + second.weight * second.loss,
                             numbers.weight * numbers.loss, kRounding);
}

}  // namespace ptp::cases
