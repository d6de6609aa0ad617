#include "engine/optim/optimizer.hpp"

#include "engine/error.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <tuple>
#include <utility>

namespace ptp::engine {

namespace {

template <class Options>
Options adam_options(const config::Optimizer& options) {
    return Options(options.lr)
        .betas(std::make_tuple(options.betas[0], options.betas[1]))
        .eps(options.eps)
        .weight_decay(options.weight_decay)
        .amsgrad(options.amsgrad);
}

std::unique_ptr<torch::optim::Optimizer> build(const config::Optimizer& options,
                                               const std::vector<at::Tensor>& parameters) {
    using namespace torch::optim;
    if (options.type == "SGD") {
        return std::make_unique<SGD>(parameters, SGDOptions(options.lr)
                                                     .momentum(options.momentum)
                                                     .dampening(options.dampening)
                                                     .weight_decay(options.weight_decay)
                                                     .nesterov(options.nesterov));
    }
    if (options.type == "Adam") {
        return std::make_unique<Adam>(parameters, adam_options<AdamOptions>(options));
    }
    if (options.type == "AdamW") {
        return std::make_unique<AdamW>(parameters, adam_options<AdamWOptions>(options));
    }
    if (options.type == "RMSprop") {
        return std::make_unique<RMSprop>(parameters, RMSpropOptions(options.lr)
                                                         .alpha(options.alpha)
                                                         .eps(options.eps)
                                                         .weight_decay(options.weight_decay)
                                                         .momentum(options.momentum)
                                                         .centered(options.centered));
    }
    throw RunError(kConfigurationError, "training.optimizer.type = \"" + options.type +
                                            "\": must be SGD, Adam, AdamW or RMSprop");
}

}  // namespace

Optimizer::Optimizer(const config::Optimizer& options, std::optional<double> gradient_clipping,
                     std::vector<at::Tensor> parameters)
    : parameters_(std::move(parameters)),
      gradient_clipping_(gradient_clipping),
      optimizer_(build(options, parameters_)) {}

Optimizer::~Optimizer() = default;

void Optimizer::forget_gradients() {
    for (at::Tensor& parameter : parameters_) {
        parameter.mutable_grad().reset();
    }
}

void Optimizer::step() {
    if (gradient_clipping_) {
        for (const at::Tensor& parameter : parameters_) {
            if (parameter.grad().defined()) {
                parameter.mutable_grad().clamp_(-*gradient_clipping_, *gradient_clipping_);
            }
        }
    }
    optimizer_->step();
}

}  // namespace ptp::engine
