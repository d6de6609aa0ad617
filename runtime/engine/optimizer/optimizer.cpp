// Groups of parameters and their rates, and L-BFGS, whose steps are libtorch's.

#include "engine/optimizer/optimizer.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "engine/component/compat.hpp"
#include "engine/optimizer/optimizer_of.hpp"

#include <ATen/Functions.h>
#include <fmt/core.h>
#include <torch/optim/lbfgs.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

namespace ptp::engine {

namespace {

using torch::optim::LBFGSParamState;
using State = optimizer::Lbfgs::State<at::Tensor>;

torch::optim::LBFGSOptions options_of(const optimizer::Lbfgs& options) {
    torch::optim::LBFGSOptions made(options.lr);
    made.max_iter(options.max_iter)
        .max_eval(*options.max_eval)
        .tolerance_grad(options.tolerance_grad)
        .tolerance_change(options.tolerance_change)
        .history_size(options.history_size);
    if (options.line_search_fn != "none") {
        made.line_search_fn(options.line_search_fn);
    }
    return made;
}

// Returns the state without `al`, which each step computes before it reads it.
std::unique_ptr<LBFGSParamState> handed_over(const State& state) {
    auto made = std::make_unique<LBFGSParamState>();
    made->func_evals(state.func_evals);
    made->n_iter(state.n_iter);
    made->t(state.t);
    made->prev_loss(state.prev_loss);
    made->d(state.d);
    made->H_diag(state.h_diag);
    made->prev_flat_grad(state.prev_flat_grad);
    made->old_dirs(state.old_dirs);
    made->old_stps(state.old_stps);
    made->ro(state.ro);
    return made;
}

State taken_back(const LBFGSParamState& from) {
    return {.func_evals = from.func_evals(),
            .n_iter = from.n_iter(),
            .t = from.t(),
            .prev_loss = from.prev_loss(),
            .d = from.d(),
            .h_diag = from.H_diag(),
            .prev_flat_grad = from.prev_flat_grad(),
            .old_dirs = from.old_dirs(),
            .old_stps = from.old_stps(),
            .ro = from.ro()};
}

}  // namespace

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

void step_with_closure(const optimizer::Lbfgs& options,
                       const std::vector<NamedParameter>& parameters, State& state,
                       const Optimizer::Closure& closure) {
    const std::vector<at::Tensor> tensors = transformed(parameters, &NamedParameter::tensor);
    torch::optim::LBFGS lbfgs(tensors, options_of(options));
    auto& states = lbfgs.state();
    const auto key = compat::state_key(tensors.front());
    states[key] = handed_over(state);
    lbfgs.step(closure);
    state = taken_back(static_cast<const LBFGSParamState&>(*states[key]));
}

}  // namespace ptp::engine
