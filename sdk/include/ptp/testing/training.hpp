// A few steps of training in the test's own process, with only the component and its loss. For a
// whole training, with data, records and checkpoints, use <ptp/host.h>.
#pragma once

#include <ptp/testing/component.hpp>

#include <c10/core/GradMode.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ptp::testing {

struct TrainingSteps {
    // Returns the loss, a scalar, from the outputs of the component; also that of a loss component:
    //   [&](const Slots& outputs) {
    //       return loss.forward(targets, outputs.at("predictions").tensor());
    //   }
    std::function<at::Tensor(const Slots& outputs)> loss;
    std::size_t count = 10;
    double learning_rate = 0.1;
};

namespace detail {

// Subtracts learning_rate times the gradient from each tensor, and takes the gradient away.
inline void descend(std::map<std::string, at::Tensor>& tensors, double learning_rate) {
    const c10::AutoGradMode without_gradients(false);
    for (auto& [name, tensor] : tensors) {
        if (tensor.grad().defined()) {
            tensor.sub_(tensor.grad(), learning_rate);
            tensor.mutable_grad() = at::Tensor();
        }
    }
}

// Throws std::runtime_error if one of the tensors is as it was before the steps.
inline void require_changes(const std::map<std::string, at::Tensor>& tensors,
                            const std::map<std::string, at::Tensor>& before, std::size_t steps) {
    for (const auto& [name, tensor] : tensors) {
        if (steps > 0 && tensor.equal(before.at(name))) {
            throw std::runtime_error("the parameter '" + name + "' has not changed in " +
                                     std::to_string(steps) + " steps");
        }
    }
}

}  // namespace detail

// Trains the component by gradient descent on one batch, in training mode: each step runs it, and
// subtracts learning_rate times the gradient from each trained parameter. Returns the loss before
// each step, and finally the one after all of them. Throws std::runtime_error if a loss is not
// finite, if it does not depend on any parameter, or if the last step leaves a parameter as it was
// before the first; errors of the component as run() does.
inline std::vector<double> train(Component& component, const Slots& inputs,
                                 const TrainingSteps& steps) {
    if (component.has_ability(PTP_EXTENSION_MODE)) {
        component.set_training(true);
    }
    std::map<std::string, at::Tensor> trained;
    std::map<std::string, at::Tensor> before;
    for (auto& [name, tensor] : component.parameters()) {
        if (tensor.requires_grad()) {
            tensor.mutable_grad() = at::Tensor();
            before.emplace(name, tensor.detach().clone());
            trained.emplace(name, std::move(tensor));
        }
    }
    const auto loss_now = [&](std::size_t step) {
        at::Tensor loss = steps.loss(component.run(inputs));
        if (!std::isfinite(loss.item<double>())) {
            throw std::runtime_error("the loss of step " + std::to_string(step) +
                                     " is not a finite number");
        }
        return loss;
    };
    std::vector<double> losses;
    for (std::size_t step = 0; step < steps.count; ++step) {
        const at::Tensor loss = loss_now(step);
        losses.push_back(loss.item<double>());
        if (!loss.requires_grad()) {
            throw std::runtime_error("the loss does not depend on any parameter");
        }
        loss.backward();
        detail::descend(trained, steps.learning_rate);
    }
    losses.push_back(loss_now(steps.count).item<double>());
    detail::require_changes(trained, before, steps.count);
    return losses;
}

}  // namespace ptp::testing
