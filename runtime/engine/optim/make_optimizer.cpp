#include "engine/optim/make_optimizer.hpp"

#include "base/error.hpp"

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

using namespace torch::optim;

SGDOptions sgd_options(const experiment::Optimizer& options) {
    return SGDOptions(options.lr)
        .momentum(options.momentum)
        .dampening(options.dampening)
        .weight_decay(options.weight_decay)
        .nesterov(options.nesterov);
}

template <class Options>
Options adam_options(const experiment::Optimizer& options) {
    return Options(options.lr)
        .betas(std::make_tuple(options.betas[0], options.betas[1]))
        .eps(options.eps)
        .weight_decay(options.weight_decay)
        .amsgrad(options.amsgrad);
}

RMSpropOptions rmsprop_options(const experiment::Optimizer& options) {
    return RMSpropOptions(options.lr)
        .alpha(options.alpha)
        .eps(options.eps)
        .weight_decay(options.weight_decay)
        .momentum(options.momentum)
        .centered(options.centered);
}

AdagradOptions adagrad_options(const experiment::Optimizer& options) {
    return AdagradOptions(options.lr)
        .lr_decay(options.lr_decay)
        .weight_decay(options.weight_decay)
        .initial_accumulator_value(options.initial_accumulator_value)
        .eps(options.eps);
}

LBFGSOptions lbfgs_options(const experiment::Optimizer& options) {
    LBFGSOptions made(options.lr);
    made.max_iter(options.max_iter)
        .tolerance_grad(options.tolerance_grad)
        .tolerance_change(options.tolerance_change)
        .history_size(options.history_size);
    made.max_eval(options.max_eval ? *options.max_eval : options.max_iter * 5 / 4);
    if (options.line_search_fn != "none") {
        made.line_search_fn(options.line_search_fn);
    }
    return made;
}

template <class Made, class Options>
std::unique_ptr<Optimizer> make(const std::vector<ParameterGroup>& groups,
                                Options (*options_of)(const experiment::Optimizer&)) {
    std::vector<OptimizerParamGroup> made;
    for (const ParameterGroup& group : groups) {
        std::vector<at::Tensor> tensors;
        for (const NamedParameter& parameter : group.parameters) {
            tensors.push_back(parameter.tensor);
        }
        made.emplace_back(std::move(tensors), std::make_unique<Options>(options_of(group.options)));
    }
    return std::make_unique<Made>(std::move(made), options_of(groups.front().options));
}

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const std::vector<ParameterGroup>& groups) {
    const std::string& type = groups.front().options.type;
    if (type == "SGD") {
        return make<SGD>(groups, sgd_options);
    }
    if (type == "Adam") {
        return make<Adam>(groups, adam_options<AdamOptions>);
    }
    if (type == "AdamW") {
        return make<AdamW>(groups, adam_options<AdamWOptions>);
    }
    if (type == "RMSprop") {
        return make<RMSprop>(groups, rmsprop_options);
    }
    if (type == "Adagrad") {
        return make<Adagrad>(groups, adagrad_options);
    }
    if (type == "LBFGS") {
        return make<LBFGS>(groups, lbfgs_options);
    }
    throw RunError(kConfigurationError,
                   "training.optimizer.type = \"" + type +
                       "\": must be SGD, Adam, AdamW, RMSprop, Adagrad or LBFGS");
}

}  // namespace ptp::engine
