// Checks properties of all losses that average over samples: counting_difference() in run_case.hpp.

#include "base/number.hpp"
#include "ptp-cases/difference.hpp"
#include "ptp-cases/run_case.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ptp::cases {

namespace {

using Tensors = std::map<std::string, at::Tensor>;

struct Measured {
    double loss;
    double weight;
    at::Tensor gradients;  // of all differentiated inputs, concatenated
};

bool is_replaced(const std::string& name, const at::Tensor& tensor) {
    return tensor.is_floating_point() && name != "sample_weights";
}

Measured measure(Instance& loss, const Step& step, const Tensors& inputs) {
    testing::Slots streams;
    std::vector<at::Tensor> leaves;
    for (const auto& [name, tensor] : inputs) {
        at::Tensor input = loss.on_device(tensor.detach());
        for (const std::string& differentiated : step.differentiated) {
            if (differentiated == name) {
                leaves.push_back(input.requires_grad_());
            }
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

Tensors part(const Tensors& inputs, int64_t from, int64_t to) {
    Tensors result;
    for (const auto& [name, tensor] : inputs) {
        result[name] = tensor.slice(0, from, to);
    }
    return result;
}

bool is_about(double found, double expected) {
    return std::abs(found - expected) <= 1e-6 * (1 + std::abs(expected));
}

std::string differs(const std::string& what, double found, double expected) {
    return fmt::format("{} = {}, expected {}", what, exact_text(found), exact_text(expected));
}

// Returns the inputs of the step with masks that exclude sample 1.
Tensors masked_inputs(const Step& step) {
    Tensors masked;
    for (const auto& input : step.inputs) {
        masked[input.key] = slot_of(input.value).tensor();
    }
    masked["masks"] = torch::arange(masked.begin()->second.size(0)).ne(1);
    return masked;
}

// Compares the results with nan in sample 1 of all replaced inputs.
Difference masked_nan_difference(Instance& loss, const Step& step, const Tensors& masked,
                                 const Measured& numbers) {
    Tensors with_nan = masked;
    for (const auto& [name, tensor] : masked) {
        if (is_replaced(name, tensor)) {
            with_nan[name] = tensor.clone();
            with_nan[name][1].fill_(std::numeric_limits<double>::quiet_NaN());
        }
    }
    const Measured nans = measure(loss, step, with_nan);
    if (nans.loss != numbers.loss) {
        return differs("the loss with nan in a masked sample", nans.loss, numbers.loss);
    }
    return difference("the gradient with nan in a masked sample", nans.gradients,
                      numbers.gradients);
}

// Checks the results with nan in all elements, and masks that exclude all samples.
Difference all_masked_difference(Instance& loss, const Step& step, const Tensors& masked) {
    Tensors all_nan = masked;
    for (const auto& [name, tensor] : masked) {
        if (is_replaced(name, tensor)) {
            all_nan[name] = torch::full_like(tensor, std::numeric_limits<double>::quiet_NaN());
        }
    }
    all_nan["masks"] = torch::zeros_like(masked.at("masks"));
    const Measured nothing = measure(loss, step, all_nan);
    if (nothing.loss != 0) {
        return differs("the loss of a batch in which nothing counts", nothing.loss, 0);
    }
    if (nothing.weight != 0) {
        return differs("loss_weight of a batch in which nothing counts", nothing.weight, 0);
    }
    return difference("the gradient of a batch in which nothing counts", nothing.gradients,
                      torch::zeros_like(nothing.gradients));
}

// Compares the results of the batch with those of two batches of its samples.
Difference parts_difference(Instance& loss, const Step& step, const Tensors& masked,
                            const Measured& numbers) {
    const Measured first = measure(loss, step, part(masked, 0, 3));
    const Measured second = measure(loss, step, part(masked, 3, masked.at("masks").size(0)));
    if (!is_about(first.weight + second.weight, numbers.weight)) {
        return differs("loss_weight of two batches", first.weight + second.weight, numbers.weight);
    }
    const double sum = first.weight * first.loss + second.weight * second.loss;
    if (!is_about(sum, numbers.weight * numbers.loss)) {
        return differs("loss * loss_weight of two batches", sum, numbers.weight * numbers.loss);
    }
    return std::nullopt;
}

}  // namespace

Difference counting_difference(Instance& loss, const Step& step) {
    if (step.differentiated.empty()) {
        throw std::logic_error("counting: differentiate must name inputs");
    }
    const Tensors masked = masked_inputs(step);
    const Measured numbers = measure(loss, step, masked);
    if (const Difference one = masked_nan_difference(loss, step, masked, numbers)) {
        return one;
    }
    if (const Difference one = all_masked_difference(loss, step, masked)) {
        return one;
    }
    return parts_difference(loss, step, masked, numbers);
}

}  // namespace ptp::cases
