#include "engine/optim/optimizer.hpp"

#include "base/error.hpp"

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

void set_momentum_of(const std::string& type, torch::optim::OptimizerOptions& options,
                     double momentum) {
    if (type == "SGD") {
        static_cast<torch::optim::SGDOptions&>(options).momentum(momentum);
    } else if (type == "RMSprop") {
        static_cast<torch::optim::RMSpropOptions&>(options).momentum(momentum);
    } else if (type == "Adam") {
        set_first_beta<torch::optim::AdamOptions>(options, momentum);
    } else if (type == "AdamW") {
        set_first_beta<torch::optim::AdamWOptions>(options, momentum);
    }
}

double momentum_in(const experiment::Optimizer& options) {
    const bool has_betas = options.type == "Adam" || options.type == "AdamW";
    return has_betas ? options.betas[0] : options.momentum;
}

}  // namespace

Optimizer::Optimizer(std::vector<ParameterGroup> groups)
    : type_(groups.front().options.type), optimizer_(make_optimizer(groups)) {
    for (ParameterGroup& group : groups) {
        groups_.push_back(group.name);
        base_rates_.push_back(group.options.lr);
        momenta_.push_back(momentum_in(group.options));
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
        set_momentum_of(type_, group.options(), momentum);
    }
}

void Optimizer::reset_momentum() {
    for (std::size_t i = 0; i < momenta_.size(); ++i) {
        set_momentum_of(type_, optimizer_->param_groups()[i].options(), momenta_[i]);
    }
}

std::vector<double> Optimizer::learning_rates() const {
    std::vector<double> rates;
    for (const auto& group : optimizer_->param_groups()) {
        rates.push_back(group.options().get_lr());
    }
    return rates;
}

Value Optimizer::base_rates() const {
    return Value::list(std::vector<Value>(base_rates_.begin(), base_rates_.end()));
}

void Optimizer::set_base_rates(const Value& rates) {
    const bool fits =
        rates.is_list() && rates.items().size() == base_rates_.size() &&
        std::ranges::all_of(rates.items(), [](const auto& rate) { return rate.is_number(); });
    if (!fits) {
        throw RunError(
            kDataError,
            fmt::format("the saved learning rates are not those of {} groups", base_rates_.size()));
    }
    std::ranges::transform(rates.items(), base_rates_.begin(),
                           [](const Value& rate) { return rate.as_real(); });
}

void Optimizer::set_base_rate(double rate, const std::string& group) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (group.empty() || groups_[i] == group) {
            base_rates_[i] = rate;
        }
    }
}

void Optimizer::set_rate_of_group(double rate, const std::string& group) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (groups_[i] == group) {
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
