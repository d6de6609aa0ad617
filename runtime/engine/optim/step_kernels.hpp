// Steps of optimizers that pass once over the numbers of each parameter, where libtorch's
// operations pass ten times. The order of operations is libtorch's and so is the rounding, so that
// the bits of weights and state are the same; one_pass_steps.hpp makes sure of it.

#pragma once

#include <cstdint>
#include <vector>

namespace ptp::engine {

// How a + b * c is rounded. libtorch decides it by the processor, as it was compiled.
enum class Rounding {
    kTwice,  // the product too
    kOnce,   // by a fused multiply-add
};

// Whether this processor computes in that way fast enough.
bool is_supported(Rounding rounding);

// A step that divides by roots of squares in one pass, or in two with the roots between them, where
// libtorch's roots are not rounded as the processor's are.
enum class StepPart { kWhole, kMeans, kWeights };

// Of one parameter. What multiplies or is added is rounded to T, as libtorch does it.
template <class T>
struct AdamPass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* means = nullptr;
    T* squares = nullptr;
    T* largest = nullptr;      // null unless amsgrad
    const T* roots = nullptr;  // of the squares, or of the largest; for StepPart::kWeights alone
    std::int64_t size = 0;

    T shrink = 1;  // multiplies the weights first; 1: nothing
    T weight_decay = 0;
    T beta1 = 0;
    T rest1 = 0;  // 1 - beta1
    T beta2 = 0;
    T rest2 = 0;
    T correction = 1;  // divides the root of the squares
    T eps = 0;
    T rate = 0;  // multiplies the mean; negative
};

// Of RMSprop and Adagrad.
template <class T>
struct SquarePass {
    T* weights = nullptr;
    const T* gradients = nullptr;
    T* squares = nullptr;
    T* means = nullptr;        // of the gradients; null unless centered
    T* buffer = nullptr;       // null without momentum
    const T* roots = nullptr;  // of the squares, less those of the means; for kWeights alone
    std::int64_t size = 0;

    T weight_decay = 0;
    T keep = 1;  // multiplies the squares, and the means
    T rest = 1;  // multiplies what is added to them
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

// On libtorch's threads where all passes together are as long as what libtorch divides itself.
// REQUIRES: is_supported(rounding), and no two passes have numbers in common. [main]
void run(const std::vector<AdamPass<float>>& passes, Rounding rounding,
         StepPart part = StepPart::kWhole);
void run(const std::vector<AdamPass<double>>& passes, Rounding rounding,
         StepPart part = StepPart::kWhole);
void run(const std::vector<SquarePass<float>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<SquarePass<double>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<SgdPass<float>>& passes, Rounding rounding);
void run(const std::vector<SgdPass<double>>& passes, Rounding rounding);

}  // namespace ptp::engine
