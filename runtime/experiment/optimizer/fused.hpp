// Optimizers with the option `fused`: one call of libtorch steps many parameters, instead of
// several calls for each. `kernels` are provided by the engine for its libtorch.

#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::optimizer {

inline constexpr std::string_view kFusedKey = "fused";

inline schema::Field fused_field(std::optional<bool>& fused) {
    return {
        .name = kFusedKey,
        .into = &fused,
        .help =
            "one call of libtorch, from 2.4 on, steps all parameters; where it is not set, on a "
            "CUDA device alone"};
}

// True if the optimizer has the option `fused`.
template <class Optimizer>
inline constexpr bool kHasFused = requires(Optimizer& one) {
    one.fused;
};

// True if the engine has a step that passes once over the numbers of each parameter.
template <class Optimizer>
inline constexpr bool kPassesOnce = kHasFused<Optimizer> || requires {
    Optimizer::kHasOnePass;
};

// The tensors that one call changes, in lists of the same order. Unused lists of the state are
// empty.
template <class Tensor>
struct FusedLists {
    std::vector<Tensor> weights;
    std::vector<Tensor> gradients;
    std::vector<Tensor> momentum_buffers;
    std::vector<Tensor> exp_avgs;
    std::vector<Tensor> exp_avg_sqs;
    std::vector<Tensor> max_exp_avg_sqs;
    std::vector<Tensor> acc_deltas;
    std::vector<Tensor> exp_infs;
    std::vector<Tensor> prevs;
    std::vector<Tensor> step_sizes;
    std::vector<std::int64_t> steps;  // including this one
    std::vector<double> mu_products;  // including this one
};

// Adds a state after making its memory contiguous, because libtorch ignores its strides.
template <class Tensor>
void add_plain(std::vector<Tensor>& list, Tensor& state) {
    state = state.contiguous();
    list.push_back(state);
}

}  // namespace ptp::optimizer
