#include "engine/optim/optimizer.hpp"

#include <torch/optim/optimizer.h>

namespace ptp::engine {

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

std::vector<double> Optimizer::learning_rates() const {
    std::vector<double> rates;
    for (const auto& group : optimizer_->param_groups()) {
        rates.push_back(group.options().get_lr());
    }
    return rates;
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
