#include "engine/optim/optimizer.hpp"

#include "engine/error.hpp"

#include <fmt/core.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <tuple>

namespace ptp::engine {

namespace {

template <class Options>
void set_first_beta(torch::optim::OptimizerOptions& options, double beta) {
    auto& own = static_cast<Options&>(options);
    own.betas(std::make_tuple(beta, std::get<1>(own.betas())));
}

}  // namespace

Optimizer::Optimizer(std::vector<ParameterGroup> groups)
    : type_(groups.front().options.type), optimizer_(make_optimizer(groups)) {
    for (ParameterGroup& group : groups) {
        groups_.push_back(group.name);
        base_rates_.push_back(group.options.lr);
        for (NamedParameter& parameter : group.parameters) {
            parameters_.push_back(std::move(parameter));
        }
    }
}

Optimizer::~Optimizer() = default;

void Optimizer::forget_gradients() {
    for (NamedParameter& parameter : parameters_) {
        parameter.tensor.mutable_grad().reset();
    }
}

void Optimizer::step(const std::function<at::Tensor()>& closure) {
    optimizer_->step(closure);
}

void Optimizer::set_learning_rates(const std::function<double(double base)>& rate) {
    for (std::size_t i = 0; i < base_rates_.size(); ++i) {
        optimizer_->param_groups()[i].options().set_lr(rate(base_rates_[i]));
    }
}

void Optimizer::set_momentum(double momentum) {
    for (auto& group : optimizer_->param_groups()) {
        if (type_ == "SGD") {
            static_cast<torch::optim::SGDOptions&>(group.options()).momentum(momentum);
        } else if (type_ == "RMSprop") {
            static_cast<torch::optim::RMSpropOptions&>(group.options()).momentum(momentum);
        } else if (type_ == "Adam") {
            set_first_beta<torch::optim::AdamOptions>(group.options(), momentum);
        } else if (type_ == "AdamW") {
            set_first_beta<torch::optim::AdamWOptions>(group.options(), momentum);
        }
    }
}

std::vector<double> Optimizer::learning_rates() const {
    std::vector<double> rates;
    for (const auto& group : optimizer_->param_groups()) {
        rates.push_back(group.options().get_lr());
    }
    return rates;
}

config::Value Optimizer::base_rates() const {
    return config::Value::list(std::vector<config::Value>(base_rates_.begin(), base_rates_.end()));
}

void Optimizer::set_base_rates(const config::Value& rates) {
    const bool fits =
        rates.is_list() && rates.items().size() == base_rates_.size() &&
        std::ranges::all_of(rates.items(), [](const auto& rate) { return rate.is_number(); });
    if (!fits) {
        throw RunError(
            kDataError,
            fmt::format("the saved learning rates are not those of {} groups", base_rates_.size()));
    }
    std::ranges::transform(rates.items(), base_rates_.begin(),
                           [](const config::Value& rate) { return rate.as_real(); });
}

void Optimizer::set_base_rate(double rate, const std::string& group) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (group.empty() || groups_[i] == group) {
            base_rates_[i] = rate;
        }
    }
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
