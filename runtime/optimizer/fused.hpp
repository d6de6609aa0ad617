// Optimizers with the option `fused`: one call of libtorch steps many parameters, instead of some
// calls for each. `kernels` are the engine's: what its libtorch has for it.

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

// Whether it has that option.
template <class Optimizer>
inline constexpr bool kHasFused = requires(Optimizer& one) {
    one.fused;
};

// Whether the engine has a step that passes once over the numbers of each parameter.
template <class Optimizer>
inline constexpr bool kPassesOnce = kHasFused<Optimizer> || requires {
    Optimizer::kHasOnePass;
};

// What one call changes: lists in one order. Those of the state are empty where there is none.
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
    std::vector<std::int64_t> steps;  // with this one
    std::vector<double> mu_products;  // likewise
};

// A state whose memory libtorch takes for a plain list of numbers, whatever its strides.
template <class Tensor>
void add_plain(std::vector<Tensor>& list, Tensor& state) {
    state = state.contiguous();
    list.push_back(state);
}

}  // namespace ptp::optimizer
