// One-pass steps that differ from Adam and SGD by more than a number; as in step_kernels.hpp.

#pragma once

#include "engine/optimizer/step_kernels.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

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

// Like run() for the others. [main]
void run(const std::vector<AdadeltaPass<float>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<AdadeltaPass<double>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<AdamaxPass<float>>& passes, Rounding rounding);
void run(const std::vector<AdamaxPass<double>>& passes, Rounding rounding);
void run(const std::vector<NAdamPass<float>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<NAdamPass<double>>& passes, Rounding rounding, StepPart part);
void run(const std::vector<RpropPass<float>>& passes, Rounding rounding);
void run(const std::vector<RpropPass<double>>& passes, Rounding rounding);

}  // namespace ptp::engine
