// Optimizer steps in one pass over the numbers of each parameter, where libtorch's operations take
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

// A step that divides by roots of squares, in one pass, or in two with libtorch's roots between
// them if those are not rounded as the processor's are.
enum class StepPart { kWhole, kMeans, kWeights };

// The pass of one parameter. Factors and summands are rounded to T, as in libtorch.
template <class T>
struct AdamPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;
    T* squares = nullptr;
    T* largest = nullptr;      // null unless amsgrad
    const T* roots = nullptr;  // of the squares, or of the largest; only for StepPart::kWeights
    std::int64_t size = 0;

    T shrink = 1;  // multiplies the weights first; 1: no effect
    T weight_decay = 0;
    T beta1 = 0;
    T rest1 = 0;  // 1 - beta1
    T beta2 = 0;
    T rest2 = 0;
    T correction = 1;  // divides the root of the squares
    T eps = 0;
    T rate = 0;  // multiplies the mean; negative
};

// The pass of RMSprop and Adagrad.
template <class T>
struct SquarePass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* squares = nullptr;
    T* means = nullptr;        // of the gradients; null unless centered
    T* buffer = nullptr;       // null without momentum
    const T* roots = nullptr;  // of the squares, minus those of the means; for kWeights only
    std::int64_t size = 0;

    T weight_decay = 0;
    T keep = 1;  // multiplies the squares, and the means
    T rest = 1;  // multiplies the summands
    T eps = 0;
    T momentum = 0;
    T rate = 0;  // negative
};

template <class T>
struct SgdPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* buffer = nullptr;  // null without momentum
    std::int64_t size = 0;

    T weight_decay = 0;
    T momentum = 0;
    T rest = 1;  // 1 - dampening
    bool nesterov = false;
    T rate = 0;  // negative
};

template <class T>
struct AdadeltaPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* squares = nullptr;
    T* changes = nullptr;             // means of their squares
    const T* roots = nullptr;         // of the squares; only for StepPart::kWeights
    const T* change_roots = nullptr;  // of the changes; likewise
    std::int64_t size = 0;

    T weight_decay = 0;
    T keep = 0;  // multiplies both means
    T rest = 0;  // multiplies their summands
    T eps = 0;
    T rate = 0;  // negative
};

template <class T>
struct AdamaxPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;
    T* largest = nullptr;
    std::int64_t size = 0;

    T weight_decay = 0;
    T beta1 = 0;
    T rest1 = 0;  // 1 - beta1
    T beta2 = 0;
    T eps = 0;
    T rate = 0;  // negative
};

template <class T>
struct NAdamPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;
    T* squares = nullptr;
    const T* roots = nullptr;  // of the corrected squares, only for StepPart::kWeights
    std::int64_t size = 0;

    T weight_decay = 0;
    T beta1 = 0;
    T rest1 = 0;  // 1 - beta1
    T beta2 = 0;
    T rest2 = 0;
    T correction = 1;  // divides the squares
    T eps = 0;
    T gradient_rate = 0;  // negative, like the other
    T mean_rate = 0;
};

template <class T>
struct RpropPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* previous = nullptr;  // gradients
    T* step_sizes = nullptr;
    std::int64_t size = 0;

    T shrink = 1;
    T grow = 1;
    T smallest = 0;
    T largest = 0;
};

// Runs the passes on libtorch's threads if all together are as long as the work that libtorch
// divides itself. Only passes with roots have parts. REQUIRES: is_supported(rounding), and no two
// passes share numbers. [main]
template <class Pass>
void run(const std::vector<Pass>& passes, Rounding rounding, StepPart part = StepPart::kWhole);

}  // namespace ptp::engine
