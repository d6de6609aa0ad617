// Steps of SGD and Adam in one pass over the elements of each parameter, where libtorch's
// operations take up to ten passes. Order of operations and rounding are libtorch's, so that
// weights and state have the same bits; one_pass_steps.hpp verifies this.

#pragma once

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The rounding of a + b * c. libtorch's depends on the processor it was compiled for.
enum class Rounding {
    kTwice,  // also rounds the product
    kOnce,   // by a fused multiply-add
};

// Returns whether this processor computes in that way fast enough.
bool is_supported(Rounding rounding);

// The work of a pass. A step of Adam or AdamW is one pass, or two with libtorch's roots between
// them if those are not rounded as the processor's are.
enum class StepKind { kSgd, kAdam, kAdamMeans, kAdamWeights };

// The factors and summands of a step. rest1 = 1 - beta1 is the weight of the new gradient in the
// means, rest2 = 1 - beta2 that of its square.
template <class T>
struct StepFactors {
    T decay_factor = 1;  // multiplies the weights first; 1: no effect
    T weight_decay = 0;  // adds this share of the weights to the gradient; 0: no effect
    T beta1 = 0;         // the decay of the means
    T rest1 = 0;
    T beta2 = 0;  // the decay of the squares
    T rest2 = 0;
    T correction = 1;  // divides the root of the squares
    T eps = 0;
    T rate = 0;  // multiplies what is added to the weights; negative
    bool is_nesterov = false;
};

// The pass of one parameter. What its formula does not use is null.
template <class T>
struct StepPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;        // of gradients: SGD's buffer, null without momentum
    T* squares = nullptr;      // means of squared gradients
    T* largest = nullptr;      // the maximum of the squares so far; null unless amsgrad
    const T* roots = nullptr;  // of the squares, for StepKind::kAdamWeights alone
    std::int64_t size = 0;
    StepFactors<T> factors = {};
};

// Runs the passes on libtorch's threads if all together are as long as the work that libtorch
// divides itself; no two of them share numbers. The rounding is supported. [main]
template <class T>
void run_passes(StepKind kind, const std::vector<StepPass<T>>& passes, Rounding rounding);

}  // namespace ptp::engine
