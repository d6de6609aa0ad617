// What libtorch's optimizers keep: for each type the options of a group and the state of a
// parameter, as lists of named quantities. Saving and restoring are visitors of these lists.
//
// Names are those of libtorch (torch/optim/*.h), which are those of PyTorch's state_dict().

#pragma once

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <string_view>
#include <type_traits>

namespace ptp::engine {

template <class O, class S>
struct OptimizerKind {
    using Options = O;
    using State = S;
};

// Calls `use` with the OptimizerKind of this type; does nothing for a type that is unknown.
template <class Use>
void with_optimizer_kind(std::string_view type, Use&& use) {
    using namespace torch::optim;
    if (type == "SGD") {
        use(OptimizerKind<SGDOptions, SGDParamState>());
    } else if (type == "Adam") {
        use(OptimizerKind<AdamOptions, AdamParamState>());
    } else if (type == "AdamW") {
        use(OptimizerKind<AdamWOptions, AdamWParamState>());
    } else if (type == "RMSprop") {
        use(OptimizerKind<RMSpropOptions, RMSpropParamState>());
    } else if (type == "Adagrad") {
        use(OptimizerKind<AdagradOptions, AdagradParamState>());
    } else if (type == "LBFGS") {
        use(OptimizerKind<LBFGSOptions, LBFGSParamState>());
    }
}

template <class Held, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<std::remove_const_t<Held>, Types> || ...);

// Calls visit("name", value) for each option.
template <class Options, class Visit>
void visit_options(Options& options, Visit&& visit) {
    using namespace torch::optim;
    visit("lr", options.lr());
    if constexpr (is_one_of<Options, LBFGSOptions>) {
        visit("max_iter", options.max_iter());
        visit("max_eval", options.max_eval());
        visit("tolerance_grad", options.tolerance_grad());
        visit("tolerance_change", options.tolerance_change());
        visit("history_size", options.history_size());
        visit("line_search_fn", options.line_search_fn());
    } else {
        visit("weight_decay", options.weight_decay());
    }
    if constexpr (is_one_of<Options, SGDOptions>) {
        visit("momentum", options.momentum());
        visit("dampening", options.dampening());
        visit("nesterov", options.nesterov());
    } else if constexpr (is_one_of<Options, AdamOptions, AdamWOptions>) {
        visit("betas", options.betas());
        visit("eps", options.eps());
        visit("amsgrad", options.amsgrad());
    } else if constexpr (is_one_of<Options, RMSpropOptions>) {
        visit("alpha", options.alpha());
        visit("eps", options.eps());
        visit("momentum", options.momentum());
        visit("centered", options.centered());
    } else if constexpr (is_one_of<Options, AdagradOptions>) {
        visit("lr_decay", options.lr_decay());
        visit("initial_accumulator_value", options.initial_accumulator_value());
        visit("eps", options.eps());
    }
}

// Calls visit("name", value) for each quantity of a state, numbers before tensors. LBFGS has one
// state for all its parameters, kept with the first; its `al` is left out, because each step
// computes it before it is read.
template <class State, class Visit>
void visit_state(State& state, Visit&& visit) {
    using namespace torch::optim;
    if constexpr (is_one_of<State, SGDParamState>) {
        visit("momentum_buffer", state.momentum_buffer());
    } else if constexpr (is_one_of<State, AdamParamState, AdamWParamState>) {
        visit("step", state.step());
        visit("exp_avg", state.exp_avg());
        visit("exp_avg_sq", state.exp_avg_sq());
        visit("max_exp_avg_sq", state.max_exp_avg_sq());
    } else if constexpr (is_one_of<State, RMSpropParamState>) {
        visit("step", state.step());
        visit("square_avg", state.square_avg());
        visit("momentum_buffer", state.momentum_buffer());
        visit("grad_avg", state.grad_avg());
    } else if constexpr (is_one_of<State, AdagradParamState>) {
        visit("step", state.step());
        visit("sum", state.sum());
    } else if constexpr (is_one_of<State, LBFGSParamState>) {
        visit("func_evals", state.func_evals());
        visit("n_iter", state.n_iter());
        if (state.n_iter() > 0) {  // libtorch leaves both without a value before
            visit("t", state.t());
            visit("prev_loss", state.prev_loss());
        }
        visit("d", state.d());
        visit("H_diag", state.H_diag());
        visit("prev_flat_grad", state.prev_flat_grad());
        visit("old_dirs", state.old_dirs());
        visit("old_stps", state.old_stps());
        visit("ro", state.ro());
    }
}

}  // namespace ptp::engine
