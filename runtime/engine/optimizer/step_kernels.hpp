// Optimizer steps in one pass over the elements of each parameter, where libtorch's operations take
// ten passes. Order of operations and rounding are libtorch's, so that weights and state have the
// same bits; one_pass_steps.hpp verifies this.

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

// The formula of a step.
enum class StepKind {
    kSgd,
    kAdam,       // also AdamW, and the rectified steps of RAdam
    kBySquares,  // RMSprop and Adagrad
    kAdadelta,
    kAdamax,
    kNAdam,
    kRprop
};

// The part of a step that a pass makes. A step that divides by roots of squares takes one pass, or
// two with libtorch's roots between them if those are not rounded as the processor's are.
enum class StepPart { kWhole, kMeans, kWeights };

// The factors and summands of a step: each formula uses some of them. `rest` multiplies what is
// added to a mean that `beta` multiplies.
template <class T>
struct StepFactors {
    T decay_factor = 1;  // multiplies the weights first; 1: no effect
    T weight_decay = 0;  // adds this share of the weights to the gradient; 0: no effect
    T beta1 = 0;         // the decay of the means, and of the buffer
    T rest1 = 0;
    T beta2 = 0;  // the decay of the squares, and of other means that decay like these
    T rest2 = 0;
    T correction = 1;  // divides the squares, or their root
    T eps = 0;
    T rate = 0;       // multiplies what is added to the weights; negative
    T mean_rate = 0;  // negative; only NAdam has a separate rate for the mean
    T smallest = 0;   // limits of a step size
    T largest = 0;
    bool is_nesterov = false;
};

// The pass of one parameter. What its formula does not use is null.
template <class T>
struct StepPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;     // means of gradients; for RMSprop null unless centered
    T* squares = nullptr;   // means of squared gradients
    T* largest = nullptr;   // squares (null unless amsgrad), or magnitudes
    T* buffer = nullptr;    // null without momentum
    T* changes = nullptr;   // means of squared changes
    T* previous = nullptr;  // the gradients of the previous step
    T* step_sizes = nullptr;
    const T* roots = nullptr;         // roots of the squares, for StepPart::kWeights alone
    const T* change_roots = nullptr;  // roots of the changes; likewise
    std::int64_t size = 0;
    StepFactors<T> factors = {};
};

// Runs the passes on libtorch's threads if all together are as long as the work that libtorch
// divides itself; no two of them share numbers. The rounding is supported; formulas without roots
// have no parts. [main]
template <class T>
void run_passes(StepKind kind, const std::vector<StepPass<T>>& passes, Rounding rounding,
                StepPart part);

}  // namespace ptp::engine
