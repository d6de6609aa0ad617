// Groups of parameters and their rates.

#include "engine/optimizer/optimizer.hpp"

#include "base/error.hpp"
#include "engine/optimizer/optimizer_of.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace ptp::engine {

void refuse_sparse_gradient(std::string_view type, const std::string& parameter) {
    throw RunError(kTrainingError,
                   fmt::format("{} cannot use the sparse gradient of {}", type, parameter));
}

bool can_be_fused(const at::Tensor& parameter, const at::Tensor& gradient) {
    return parameter.scalar_type() == at::kFloat && gradient.scalar_type() == at::kFloat &&
           gradient.layout() == at::kStrided && parameter.is_contiguous();
}

void Optimizer::add_group(const std::string& name, double lr,
                          std::vector<NamedParameter> parameters) {
    for (NamedParameter& parameter : parameters) {
        parameters_.push_back(std::move(parameter));
        group_of_.push_back(groups_.size());
    }
    groups_.push_back(name);
    base_rates_.push_back(lr);
}

void Optimizer::forget_gradients() {
    for (NamedParameter& parameter : parameters_) {
        parameter.tensor.mutable_grad().reset();
    }
}

void Optimizer::set_learning_rates(c10::function_ref<double(double base)> rate) {
    for (std::size_t i = 0; i < base_rates_.size(); ++i) {
        set_lr(i, rate(base_rates_[i]));
    }
}

std::vector<double> Optimizer::learning_rates() const {
    std::vector<double> rates;
    for (std::size_t i = 0; i < base_rates_.size(); ++i) {
        rates.push_back(lr(i));
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
            fmt::format("the saved learning rates do not belong to {} groups", base_rates_.size()));
    }
    std::ranges::transform(rates.items(), base_rates_.begin(),
                           [](const Value& rate) { return rate.as_real(); });
}

void Optimizer::set_base_rate(double rate, const std::optional<std::string>& group) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (!group || groups_[i] == *group) {
            base_rates_[i] = rate;
        }
    }
}

std::unique_ptr<Optimizer> make_optimizer(std::vector<ParameterGroup> groups) {
    assert(!groups.empty() &&
           (groups.size() == 1 || !optimizer::uses_closure(groups.front().options)));
    const optimizer::Any type = groups.front().options;
    return std::visit(
        [&]<class Options>(const Options&) -> std::unique_ptr<Optimizer> {
            std::vector<GroupOf<Options>> made;
            for (ParameterGroup& group : groups) {
                made.push_back({std::move(group.name), std::get<Options>(group.options),
                                std::move(group.parameters)});
            }
            return std::make_unique<OptimizerOf<Options>>(std::move(made));
        },
        type);
}

}  // namespace ptp::engine
