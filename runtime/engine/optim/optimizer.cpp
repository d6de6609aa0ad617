#include "engine/optim/optimizer.hpp"

#include "engine/error.hpp"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
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

torch::optim::LBFGSOptions lbfgs_options(const config::Optimizer& options) {
    torch::optim::LBFGSOptions made(options.lr);
    made.max_iter(options.max_iter)
        .tolerance_grad(options.tolerance_grad)
        .tolerance_change(options.tolerance_change)
        .history_size(options.history_size);
    if (options.max_eval) {
        made.max_eval(*options.max_eval);
    }
    if (options.line_search_fn == "strong_wolfe") {
        made.line_search_fn(options.line_search_fn);
    }
    return made;
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
    if (options.type == "Adagrad") {
        return std::make_unique<Adagrad>(
            parameters, AdagradOptions(options.lr)
                            .lr_decay(options.lr_decay)
                            .weight_decay(options.weight_decay)
                            .initial_accumulator_value(options.initial_accumulator_value)
                            .eps(options.eps));
    }
    if (options.type == "LBFGS") {
        return std::make_unique<LBFGS>(parameters, lbfgs_options(options));
    }
    throw RunError(kConfigurationError,
                   "training.optimizer.type = \"" + options.type +
                       "\": must be SGD, Adam, AdamW, RMSprop, Adagrad or LBFGS");
}

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters) {
    std::vector<at::Tensor> tensors;
    for (const NamedParameter& parameter : parameters) {
        tensors.push_back(parameter.tensor);
    }
    return tensors;
}

}  // namespace

Optimizer::Optimizer(const config::Optimizer& options, std::optional<double> gradient_clipping,
                     std::vector<NamedParameter> parameters)
    : type_(options.type),
      parameters_(std::move(parameters)),
      gradient_clipping_(gradient_clipping),
      optimizer_(build(options, tensors_of(parameters_))) {}

Optimizer::~Optimizer() = default;

void Optimizer::forget_gradients() {
    for (NamedParameter& parameter : parameters_) {
        parameter.tensor.mutable_grad().reset();
    }
}

void Optimizer::step(const std::function<at::Tensor()>& closure) {
    if (gradient_clipping_) {
        for (const NamedParameter& parameter : parameters_) {
            if (parameter.tensor.grad().defined()) {
                parameter.tensor.mutable_grad().clamp_(-*gradient_clipping_, *gradient_clipping_);
            }
        }
    }
    optimizer_->step(closure);
}

OptimizerView Optimizer::view() const {
    return {type_, *optimizer_, groups_, parameters_};
}

SavedState Optimizer::save() const {
    return save_optimizer(view());
}

void Optimizer::restore(const SavedState& saved) {
    restore_optimizer(view(), saved);
}

}  // namespace ptp::engine
