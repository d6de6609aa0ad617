// The loops over the elements of a parameter: one for each kind of step, compiled for each
// rounding, each use of its optional factors, and the processor's instructions.

#include "engine/optimizer/step_kernels.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cassert>
#include <type_traits>

namespace ptp::engine {

namespace {

constexpr std::int64_t kGrain = 32768;  // numbers for a thread, as in libtorch

// Returns a + b * c. Inlined into the loop of a processor that has one instruction for it.
template <Rounding kRounding, class T>
[[gnu::always_inline]] inline T plus_product(T a, T b, T c) {
    if constexpr (kRounding == Rounding::kTwice) {
        return a + b * c;
    } else if constexpr (std::is_same_v<T, float>) {
        return __builtin_fmaf(b, c, a);
    } else {
        return __builtin_fma(b, c, a);
    }
}

template <class T>
[[gnu::always_inline]] inline T root(T x) {
    if constexpr (std::is_same_v<T, float>) {
        return __builtin_sqrtf(x);
    } else {
        return __builtin_sqrt(x);
    }
}

// Returns the larger one, or NaN if either is NaN.
template <class T>
[[gnu::always_inline]] inline T larger(T one, T other) {
    return (one > other) | __builtin_isnan(one) ? one : other;
}

template <Rounding kRounding, bool kDecays, class T>
[[gnu::always_inline]] inline T decayed(T gradient, T weight, T weight_decay) {
    return kDecays ? plus_product<kRounding>(gradient, weight, weight_decay) : gradient;
}

// Each loop copies its factors and pointers: otherwise each store might change them.
template <Rounding kRounding, bool kDecays, bool kMomentum, bool kNesterov, class T>
[[gnu::always_inline]] inline void sgd(const StepPass<T>& pass, std::int64_t begin,
                                       std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const means = pass.means;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        if constexpr (kMomentum) {
            const T mean = plus_product<kRounding>(means[i] * f.beta1, gradient, f.rest1);
            means[i] = mean;
            gradient = kNesterov ? plus_product<kRounding>(gradient, mean, f.beta1) : mean;
        }
        weights[i] = plus_product<kRounding>(weight, gradient, f.rate);
    }
}

template <StepKind kKind, Rounding kRounding, bool kDecays, bool kShrinks, bool kAmsgrad, class T>
[[gnu::always_inline]] inline void adam(const StepPass<T>& pass, std::int64_t begin,
                                        std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const means = pass.means;
    T* __restrict const squares = pass.squares;
    T* __restrict const largest = pass.largest;
    const T* __restrict const roots = pass.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        T mean = means[i];
        T square = squares[i];
        if constexpr (kKind != StepKind::kAdamWeights) {
            const T gradient =
                decayed<kRounding, kDecays>(gradients[i], weights[i], f.weight_decay);
            mean = plus_product<kRounding>(mean * f.beta1, gradient, f.rest1);
            square = plus_product<kRounding>(square * f.beta2, f.rest2 * gradient, gradient);
            means[i] = mean;
            squares[i] = square;
            if constexpr (kAmsgrad) {
                square = larger(square, largest[i]);
                largest[i] = square;
            }
        }
        if constexpr (kKind != StepKind::kAdamMeans) {
            const T divisor = kKind == StepKind::kAdamWeights ? roots[i] : root(square);
            const T weight = kShrinks ? weights[i] * f.decay_factor : weights[i];
            weights[i] = weight + f.rate * mean / (divisor / f.correction + f.eps);
        }
    }
}

// Calls `loop` with the flags as constants, so that no loop asks for them.
template <class Loop>
[[gnu::always_inline]] inline void with_constants(const Loop& loop) {
    loop();
}
template <class Loop, class... Flags>
[[gnu::always_inline]] inline void with_constants(const Loop& loop, bool flag, Flags... rest) {
    const auto with = [&](auto first) __attribute__((always_inline)) {
        with_constants(
            [&](auto... others) __attribute__((always_inline)) { loop(first, others...); },
            rest...);
    };
    if (flag) {
        with(std::true_type());
    } else {
        with(std::false_type());
    }
}

template <StepKind kKind, Rounding kRounding, class T>
[[gnu::always_inline]] inline void step(const StepPass<T>& pass, std::int64_t begin,
                                        std::int64_t end) {
    const StepFactors<T>& f = pass.factors;
    if constexpr (kKind == StepKind::kSgd) {
        with_constants(
            [&](auto... flags)
                __attribute__((always_inline)) { sgd<kRounding, flags...>(pass, begin, end); },
            f.weight_decay != 0, pass.means != nullptr, f.is_nesterov);
    } else {
        with_constants(
            [&](auto... flags) __attribute__((always_inline)) {
                adam<kKind, kRounding, flags...>(pass, begin, end);
            },
            f.weight_decay != 0, f.decay_factor != 1, pass.largest != nullptr);
    }
}

template <class T>
using Step = void (*)(const StepPass<T>& pass, std::int64_t begin, std::int64_t end);

template <StepKind kKind, Rounding kRounding, class T>
void step_anywhere(const StepPass<T>& pass, std::int64_t begin, std::int64_t end) {
    step<kKind, kRounding>(pass, begin, end);
}

#if defined(__x86_64__)
template <StepKind kKind, class T>
[[gnu::target("avx2,fma")]] void step_avx2(const StepPass<T>& pass, std::int64_t begin,
                                           std::int64_t end) {
    step<kKind, Rounding::kOnce>(pass, begin, end);
}

template <StepKind kKind, class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]] void step_avx512(
    const StepPass<T>& pass, std::int64_t begin, std::int64_t end) {
    step<kKind, Rounding::kOnce>(pass, begin, end);
}
#endif

// Returns the loop compiled for the processor's instructions.
template <StepKind kKind, class T>
Step<T> step_for(Rounding rounding) {
    if (rounding == Rounding::kTwice) {
        return step_anywhere<kKind, Rounding::kTwice, T>;
    }
#if defined(__x86_64__)
    const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 &&
                            __builtin_cpu_supports("avx512dq") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0;
    return has_avx512 ? step_avx512<kKind, T> : step_avx2<kKind, T>;
#else
    return step_anywhere<kKind, Rounding::kOnce, T>;
#endif
}

template <class T>
Step<T> step_for(StepKind kind, Rounding rounding) {
    switch (kind) {
        case StepKind::kSgd:
            return step_for<StepKind::kSgd, T>(rounding);
        case StepKind::kAdam:
            return step_for<StepKind::kAdam, T>(rounding);
        case StepKind::kAdamMeans:
            return step_for<StepKind::kAdamMeans, T>(rounding);
        case StepKind::kAdamWeights:
            break;
    }
    return step_for<StepKind::kAdamWeights, T>(rounding);
}

}  // namespace

bool is_supported(Rounding rounding) {
    if (rounding == Rounding::kTwice) {
        return true;
    }
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#elif defined(__FP_FAST_FMA)
    return true;
#else
    return false;
#endif
}

template <class T>
void run_passes(StepKind kind, const std::vector<StepPass<T>>& passes, Rounding rounding) {
    assert(is_supported(rounding));
    const Step<T> step = step_for<T>(kind, rounding);
    std::int64_t total = 0;
    for (const StepPass<T>& pass : passes) {
        total += pass.size;
    }
    // A thread's share may begin and end within a parameter.
    at::parallel_for(0, total, kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t first = 0;  // of the pass
        for (const StepPass<T>& pass : passes) {
            const std::int64_t from = std::max<std::int64_t>(begin - first, 0);
            const std::int64_t to = std::min(end - first, pass.size);
            if (from < to) {
                step(pass, from, to);
            }
            first += pass.size;
        }
    });
}

template void run_passes(StepKind, const std::vector<StepPass<float>>&, Rounding);
template void run_passes(StepKind, const std::vector<StepPass<double>>&, Rounding);

}  // namespace ptp::engine
