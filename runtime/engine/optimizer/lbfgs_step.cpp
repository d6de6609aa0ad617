// The steps of L-BFGS, which are libtorch's: their state is handed over and taken back.

#include "base/ranges.hpp"
#include "engine/component/compat.hpp"
#include "engine/optimizer/optimizer_of.hpp"

#include <torch/optim/lbfgs.h>

#include <memory>
#include <vector>

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
