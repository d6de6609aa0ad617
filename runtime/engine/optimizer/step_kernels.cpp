// The loops over the elements of a parameter: one for each formula, compiled for each rounding,
// each part, each use of its optional factors, and the processor's instructions.

#include "engine/optimizer/step_kernels.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
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
    T* __restrict const buffer = pass.buffer;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        if constexpr (kMomentum) {
            const T moved = plus_product<kRounding>(buffer[i] * f.beta1, gradient, f.rest1);
            buffer[i] = moved;
            gradient = kNesterov ? plus_product<kRounding>(gradient, moved, f.beta1) : moved;
        }
        weights[i] = plus_product<kRounding>(weight, gradient, f.rate);
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, bool kShrinks, bool kAmsgrad, class T>
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
        if constexpr (kPart != StepPart::kWeights) {
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
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor = kPart == StepPart::kWeights ? roots[i] : root(square);
            const T weight = kShrinks ? weights[i] * f.decay_factor : weights[i];
            weights[i] = weight + f.rate * mean / (divisor / f.correction + f.eps);
        }
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, bool kMomentum, bool kCentered, class T>
[[gnu::always_inline]] inline void by_squares(const StepPass<T>& pass, std::int64_t begin,
                                              std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const squares = pass.squares;
    T* __restrict const means = pass.means;
    T* __restrict const buffer = pass.buffer;
    const T* __restrict const roots = pass.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            square = plus_product<kRounding>(square * f.beta2, f.rest2 * gradient, gradient);
            squares[i] = square;
            if constexpr (kCentered) {
                const T mean = plus_product<kRounding>(means[i] * f.beta2, gradient, f.rest2);
                means[i] = mean;
                square = plus_product<kRounding>(square, -mean, mean);
            }
        }
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor = (kPart == StepPart::kWeights ? roots[i] : root(square)) + f.eps;
            if constexpr (kMomentum) {
                const T moved = buffer[i] * f.beta1 + gradient / divisor;
                buffer[i] = moved;
                weights[i] = plus_product<kRounding>(weight, moved, f.rate);
            } else {
                weights[i] = weight + f.rate * gradient / divisor;
            }
        }
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, class T>
[[gnu::always_inline]] inline void adadelta(const StepPass<T>& pass, std::int64_t begin,
                                            std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const squares = pass.squares;
    T* __restrict const changes = pass.changes;
    const T* __restrict const roots = pass.roots;
    const T* __restrict const change_roots = pass.change_roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            square = plus_product<kRounding>(square * f.beta2, f.rest2 * gradient, gradient);
            squares[i] = square;
        }
        if constexpr (kPart != StepPart::kMeans) {
            constexpr bool kHasRoots = kPart == StepPart::kWeights;
            const T divisor = kHasRoots ? roots[i] : root(square + f.eps);
            const T dividend = kHasRoots ? change_roots[i] : root(changes[i] + f.eps);
            const T change = dividend / divisor * gradient;
            changes[i] = plus_product<kRounding>(changes[i] * f.beta2, f.rest2 * change, change);
            weights[i] = plus_product<kRounding>(weight, change, f.rate);
        }
    }
}

template <Rounding kRounding, bool kDecays, class T>
[[gnu::always_inline]] inline void adamax(const StepPass<T>& pass, std::int64_t begin,
                                          std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const means = pass.means;
    T* __restrict const largest = pass.largest;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        const T mean = plus_product<kRounding>(means[i] * f.beta1, gradient, f.rest1);
        const T size = gradient < 0 ? -gradient : gradient;
        const T divisor = larger(largest[i] * f.beta2, size + f.eps);
        means[i] = mean;
        largest[i] = divisor;
        weights[i] = weight + f.rate * mean / divisor;
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, class T>
[[gnu::always_inline]] inline void nadam(const StepPass<T>& pass, std::int64_t begin,
                                         std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const means = pass.means;
    T* __restrict const squares = pass.squares;
    const T* __restrict const roots = pass.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(gradients[i], weight, f.weight_decay);
        T mean = means[i];
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            mean = plus_product<kRounding>(mean * f.beta1, gradient, f.rest1);
            square = plus_product<kRounding>(square * f.beta2, f.rest2 * gradient, gradient);
            means[i] = mean;
            squares[i] = square;
        }
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor =
                (kPart == StepPart::kWeights ? roots[i] : root(square / f.correction)) + f.eps;
            const T moved = weight + f.rate * gradient / divisor;
            weights[i] = moved + f.mean_rate * mean / divisor;
        }
    }
}

// A step size shrinks by beta1 where the gradient changes its sign, and grows by beta2 elsewhere.
template <Rounding kRounding, class T>
[[gnu::always_inline]] inline void rprop(const StepPass<T>& pass, std::int64_t begin,
                                         std::int64_t end) {
    const StepFactors<T> f = pass.factors;
    T* __restrict const weights = pass.weights;
    const T* __restrict const gradients = pass.gradients;
    T* __restrict const previous = pass.previous;
    T* __restrict const step_sizes = pass.step_sizes;
    for (std::int64_t i = begin; i < end; ++i) {
        const T gradient = gradients[i];
        const T product = gradient * previous[i];
        const T factor = product > 0 ? f.beta2 : product < 0 ? f.beta1 : T(1);
        T step_size = step_sizes[i] * factor;
        step_size = step_size < f.smallest ? f.smallest : step_size;
        step_size = step_size > f.largest ? f.largest : step_size;
        const T followed = product < 0 ? T(0) : gradient;
        const T against = followed > 0 ? T(-1) : followed < 0 ? T(1) : T(-0.0);
        step_sizes[i] = step_size;
        previous[i] = followed;
        weights[i] = plus_product<kRounding>(weights[i], against, step_size);
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

template <StepKind kKind, StepPart kPart, Rounding kRounding, class T>
[[gnu::always_inline]] inline void step(const StepPass<T>& pass, std::int64_t begin,
                                        std::int64_t end) {
    const auto loop = [&](auto... flags) __attribute__((always_inline)) {
        if constexpr (kKind == StepKind::kSgd) {
            sgd<kRounding, flags...>(pass, begin, end);
        } else if constexpr (kKind == StepKind::kAdam) {
            adam<kRounding, kPart, flags...>(pass, begin, end);
        } else if constexpr (kKind == StepKind::kBySquares) {
            by_squares<kRounding, kPart, flags...>(pass, begin, end);
        } else if constexpr (kKind == StepKind::kAdadelta) {
            adadelta<kRounding, kPart, flags...>(pass, begin, end);
        } else if constexpr (kKind == StepKind::kAdamax) {
            adamax<kRounding, flags...>(pass, begin, end);
        } else if constexpr (kKind == StepKind::kNAdam) {
            nadam<kRounding, kPart, flags...>(pass, begin, end);
        } else {
            rprop<kRounding>(pass, begin, end);
        }
    };
    const bool decays = pass.factors.weight_decay != 0;
    if constexpr (kKind == StepKind::kSgd) {
        with_constants(loop, decays, pass.buffer != nullptr, pass.factors.is_nesterov);
    } else if constexpr (kKind == StepKind::kAdam) {
        with_constants(loop, decays, pass.factors.decay_factor != 1, pass.largest != nullptr);
    } else if constexpr (kKind == StepKind::kBySquares) {
        with_constants(loop, decays, pass.buffer != nullptr, pass.means != nullptr);
    } else if constexpr (kKind == StepKind::kRprop) {
        loop();
    } else {
        with_constants(loop, decays);
    }
}

template <class T>
using Step = void (*)(const StepPass<T>& pass, std::int64_t begin, std::int64_t end);

template <StepKind kKind, StepPart kPart, Rounding kRounding, class T>
void step_anywhere(const StepPass<T>& pass, std::int64_t begin, std::int64_t end) {
    step<kKind, kPart, kRounding>(pass, begin, end);
}

#if defined(__x86_64__)
template <StepKind kKind, StepPart kPart, class T>
[[gnu::target("avx2,fma")]] void step_avx2(const StepPass<T>& pass, std::int64_t begin,
                                           std::int64_t end) {
    step<kKind, kPart, Rounding::kOnce>(pass, begin, end);
}

template <StepKind kKind, StepPart kPart, class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]] void step_avx512(
    const StepPass<T>& pass, std::int64_t begin, std::int64_t end) {
    step<kKind, kPart, Rounding::kOnce>(pass, begin, end);
}

template <StepKind kKind, StepPart kPart, class T>
Step<T> step_rounded_once() {
    const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 &&
                            __builtin_cpu_supports("avx512dq") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0;
    return has_avx512 ? step_avx512<kKind, kPart, T> : step_avx2<kKind, kPart, T>;
}
#else
template <StepKind kKind, StepPart kPart, class T>
Step<T> step_rounded_once() {
    return step_anywhere<kKind, kPart, Rounding::kOnce, T>;
}
#endif

// Returns the loop compiled for the processor's instructions.
template <StepKind kKind, class T>
Step<T> step_for(Rounding rounding, StepPart part) {
    const auto compiled = [rounding]<StepPart kPart>() {
        return rounding == Rounding::kOnce ? step_rounded_once<kKind, kPart, T>()
                                           : step_anywhere<kKind, kPart, Rounding::kTwice, T>;
    };
    if constexpr (kKind != StepKind::kSgd && kKind != StepKind::kAdamax &&
                  kKind != StepKind::kRprop) {
        if (part == StepPart::kMeans) {
            return compiled.template operator()<StepPart::kMeans>();
        }
        if (part == StepPart::kWeights) {
            return compiled.template operator()<StepPart::kWeights>();
        }
    }
    assert(part == StepPart::kWhole);
    return compiled.template operator()<StepPart::kWhole>();
}

// Sorted by StepKind.
template <class T>
constexpr std::array kStepsFor = {
    step_for<StepKind::kSgd, T>,       step_for<StepKind::kAdam, T>,
    step_for<StepKind::kBySquares, T>, step_for<StepKind::kAdadelta, T>,
    step_for<StepKind::kAdamax, T>,    step_for<StepKind::kNAdam, T>,
    step_for<StepKind::kRprop, T>};

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
void run_passes(StepKind kind, const std::vector<StepPass<T>>& passes, Rounding rounding,
                StepPart part) {
    assert(is_supported(rounding));
    const Step<T> step = kStepsFor<T>[static_cast<std::size_t>(kind)](rounding, part);
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

template void run_passes(StepKind, const std::vector<StepPass<float>>&, Rounding, StepPart);
template void run_passes(StepKind, const std::vector<StepPass<double>>&, Rounding, StepPart);

}  // namespace ptp::engine
