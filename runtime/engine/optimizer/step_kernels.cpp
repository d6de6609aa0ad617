#include "engine/optimizer/step_kernels.hpp"

#include "engine/optimizer/step_loops.hpp"

namespace ptp::engine {

namespace {

using namespace step_loops;

enum class Decay { kNone, kIntoGradient, kOfWeights };

template <Rounding kRounding, Decay kDecay, class T>
[[gnu::always_inline]] inline void move_means(const AdamPass<T>& p, T gradient, T weight, T& mean,
                                              T& square) {
    if constexpr (kDecay == Decay::kIntoGradient) {
        gradient = plus_product<kRounding>(gradient, weight, p.weight_decay);
    }
    mean = plus_product<kRounding>(mean * p.beta1, gradient, p.rest1);
    square = plus_product<kRounding>(square * p.beta2, p.rest2 * gradient, gradient);
}

template <Decay kDecay, class T>
[[gnu::always_inline]] inline T moved_weight(const AdamPass<T>& p, T weight, T mean, T root) {
    if constexpr (kDecay == Decay::kOfWeights) {
        weight = weight * p.shrink;
    }
    return weight + p.rate * mean / (root / p.correction + p.eps);
}

template <Rounding kRounding, StepPart kPart, Decay kDecay, bool kAmsgrad, class T>
[[gnu::always_inline]] inline void adam(const AdamPass<T>& pass, std::int64_t begin,
                                        std::int64_t end) {
    const AdamPass<T> p = pass;  // otherwise each store might change it
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const means = p.means;
    T* __restrict const squares = p.squares;
    T* __restrict const largest = p.largest;
    const T* __restrict const roots = p.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        T mean = means[i];
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            move_means<kRounding, kDecay>(p, gradients[i], weights[i], mean, square);
            means[i] = mean;
            squares[i] = square;
            if constexpr (kAmsgrad) {
                square = larger(square, largest[i]);
                largest[i] = square;
            }
        }
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor = kPart == StepPart::kWeights ? roots[i] : root(square);
            weights[i] = moved_weight<kDecay>(p, weights[i], mean, divisor);
        }
    }
}

template <Rounding kRounding, StepPart kPart, bool kAmsgrad, class T>
[[gnu::always_inline]] inline void adam_with_decay(const AdamPass<T>& pass, std::int64_t begin,
                                                   std::int64_t end) {
    if (pass.shrink != 1) {
        adam<kRounding, kPart, Decay::kOfWeights, kAmsgrad>(pass, begin, end);
    } else if (pass.weight_decay != 0) {
        adam<kRounding, kPart, Decay::kIntoGradient, kAmsgrad>(pass, begin, end);
    } else {
        adam<kRounding, kPart, Decay::kNone, kAmsgrad>(pass, begin, end);
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, bool kMomentum, bool kCentered, class T>
[[gnu::always_inline]] inline void by_squares(const SquarePass<T>& pass, std::int64_t begin,
                                              std::int64_t end) {
    const SquarePass<T> p = pass;
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const squares = p.squares;
    T* __restrict const means = p.means;
    T* __restrict const buffer = p.buffer;
    const T* __restrict const roots = p.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        T gradient = gradients[i];
        if constexpr (kDecays) {
            gradient = plus_product<kRounding>(gradient, weight, p.weight_decay);
        }
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            square = plus_product<kRounding>(square * p.keep, p.rest * gradient, gradient);
            squares[i] = square;
            if constexpr (kCentered) {
                const T mean = plus_product<kRounding>(means[i] * p.keep, gradient, p.rest);
                means[i] = mean;
                square = plus_product<kRounding>(square, -mean, mean);
            }
        }
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor = (kPart == StepPart::kWeights ? roots[i] : root(square)) + p.eps;
            if constexpr (kMomentum) {
                const T moved = buffer[i] * p.momentum + gradient / divisor;
                buffer[i] = moved;
                weights[i] = plus_product<kRounding>(weight, moved, p.rate);
            } else {
                weights[i] = weight + p.rate * gradient / divisor;
            }
        }
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, bool kMomentum, class T>
[[gnu::always_inline]] inline void by_squares_centered(const SquarePass<T>& pass,
                                                       std::int64_t begin, std::int64_t end) {
    if (kPart != StepPart::kWeights && pass.means != nullptr) {
        by_squares<kRounding, kPart, kDecays, kMomentum, true>(pass, begin, end);
    } else {
        by_squares<kRounding, kPart, kDecays, kMomentum, false>(pass, begin, end);
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, class T>
[[gnu::always_inline]] inline void by_squares_with_momentum(const SquarePass<T>& pass,
                                                            std::int64_t begin, std::int64_t end) {
    if (pass.buffer != nullptr) {
        by_squares_centered<kRounding, kPart, kDecays, true>(pass, begin, end);
    } else {
        by_squares_centered<kRounding, kPart, kDecays, false>(pass, begin, end);
    }
}

template <Rounding kRounding, bool kDecays, bool kMomentum, bool kNesterov, class T>
[[gnu::always_inline]] inline void sgd(const SgdPass<T>& pass, std::int64_t begin,
                                       std::int64_t end) {
    const SgdPass<T> p = pass;
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const buffer = p.buffer;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        T gradient = gradients[i];
        if constexpr (kDecays) {
            gradient = plus_product<kRounding>(gradient, weight, p.weight_decay);
        }
        if constexpr (kMomentum) {
            const T moved = plus_product<kRounding>(buffer[i] * p.momentum, gradient, p.rest);
            buffer[i] = moved;
            gradient = kNesterov ? plus_product<kRounding>(gradient, moved, p.momentum) : moved;
        }
        weights[i] = plus_product<kRounding>(weight, gradient, p.rate);
    }
}

template <Rounding kRounding, bool kDecays, class T>
[[gnu::always_inline]] inline void sgd_with_momentum(const SgdPass<T>& pass, std::int64_t begin,
                                                     std::int64_t end) {
    if (pass.buffer == nullptr) {
        sgd<kRounding, kDecays, false, false>(pass, begin, end);
    } else if (pass.nesterov) {
        sgd<kRounding, kDecays, true, true>(pass, begin, end);
    } else {
        sgd<kRounding, kDecays, true, false>(pass, begin, end);
    }
}

template <Rounding kRounding, bool kDecays, class Pass, class T>
[[gnu::always_inline]] inline T decayed(const Pass& p, T gradient, T weight) {
    return kDecays ? plus_product<kRounding>(gradient, weight, p.weight_decay) : gradient;
}

template <Rounding kRounding, StepPart kPart, bool kDecays, class T>
[[gnu::always_inline]] inline void adadelta(const AdadeltaPass<T>& pass, std::int64_t begin,
                                            std::int64_t end) {
    const AdadeltaPass<T> p = pass;  // otherwise each store might change it
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const squares = p.squares;
    T* __restrict const changes = p.changes;
    const T* __restrict const roots = p.roots;
    const T* __restrict const change_roots = p.change_roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(p, gradients[i], weight);
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            square = plus_product<kRounding>(square * p.keep, p.rest * gradient, gradient);
            squares[i] = square;
        }
        if constexpr (kPart != StepPart::kMeans) {
            constexpr bool kHasRoots = kPart == StepPart::kWeights;
            const T divisor = kHasRoots ? roots[i] : root(square + p.eps);
            const T dividend = kHasRoots ? change_roots[i] : root(changes[i] + p.eps);
            const T change = dividend / divisor * gradient;
            changes[i] = plus_product<kRounding>(changes[i] * p.keep, p.rest * change, change);
            weights[i] = plus_product<kRounding>(weight, change, p.rate);
        }
    }
}

template <Rounding kRounding, bool kDecays, class T>
[[gnu::always_inline]] inline void adamax(const AdamaxPass<T>& pass, std::int64_t begin,
                                          std::int64_t end) {
    const AdamaxPass<T> p = pass;
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const means = p.means;
    T* __restrict const largest = p.largest;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(p, gradients[i], weight);
        const T mean = plus_product<kRounding>(means[i] * p.beta1, gradient, p.rest1);
        const T size = gradient < 0 ? -gradient : gradient;
        const T divisor = larger(largest[i] * p.beta2, size + p.eps);
        means[i] = mean;
        largest[i] = divisor;
        weights[i] = weight + p.rate * mean / divisor;
    }
}

template <Rounding kRounding, StepPart kPart, bool kDecays, class T>
[[gnu::always_inline]] inline void nadam(const NAdamPass<T>& pass, std::int64_t begin,
                                         std::int64_t end) {
    const NAdamPass<T> p = pass;
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const means = p.means;
    T* __restrict const squares = p.squares;
    const T* __restrict const roots = p.roots;
    for (std::int64_t i = begin; i < end; ++i) {
        const T weight = weights[i];
        const T gradient = decayed<kRounding, kDecays>(p, gradients[i], weight);
        T mean = means[i];
        T square = squares[i];
        if constexpr (kPart != StepPart::kWeights) {
            mean = plus_product<kRounding>(mean * p.beta1, gradient, p.rest1);
            square = plus_product<kRounding>(square * p.beta2, p.rest2 * gradient, gradient);
            means[i] = mean;
            squares[i] = square;
        }
        if constexpr (kPart != StepPart::kMeans) {
            const T divisor =
                (kPart == StepPart::kWeights ? roots[i] : root(square / p.correction)) + p.eps;
            const T moved = weight + p.gradient_rate * gradient / divisor;
            weights[i] = moved + p.mean_rate * mean / divisor;
        }
    }
}

template <Rounding kRounding, class T>
[[gnu::always_inline]] inline void rprop(const RpropPass<T>& pass, std::int64_t begin,
                                         std::int64_t end) {
    const RpropPass<T> p = pass;
    T* __restrict const weights = p.weights;
    const T* __restrict const gradients = p.gradients;
    T* __restrict const previous = p.previous;
    T* __restrict const step_sizes = p.step_sizes;
    for (std::int64_t i = begin; i < end; ++i) {
        const T gradient = gradients[i];
        const T product = gradient * previous[i];
        const T factor = product > 0 ? p.grow : product < 0 ? p.shrink : T(1);
        T step_size = step_sizes[i] * factor;
        step_size = step_size < p.smallest ? p.smallest : step_size;
        step_size = step_size > p.largest ? p.largest : step_size;
        const T followed = product < 0 ? T(0) : gradient;
        const T against = followed > 0 ? T(-1) : followed < 0 ? T(1) : T(-0.0);
        step_sizes[i] = step_size;
        previous[i] = followed;
        weights[i] = plus_product<kRounding>(weights[i], against, step_size);
    }
}

struct StepLoops {
    template <Rounding kRounding, class T, StepPart kPart>
    [[gnu::always_inline]] static void step(const PartOf<AdamPass<T>, kPart>& pass,
                                            std::int64_t begin, std::int64_t end) {
        if (kPart != StepPart::kWeights && pass.largest != nullptr) {
            adam_with_decay<kRounding, kPart, true>(pass, begin, end);
        } else {
            adam_with_decay<kRounding, kPart, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T, StepPart kPart>
    [[gnu::always_inline]] static void step(const PartOf<SquarePass<T>, kPart>& pass,
                                            std::int64_t begin, std::int64_t end) {
        if (pass.weight_decay != 0) {
            by_squares_with_momentum<kRounding, kPart, true>(pass, begin, end);
        } else {
            by_squares_with_momentum<kRounding, kPart, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T>
    [[gnu::always_inline]] static void step(const SgdPass<T>& pass, std::int64_t begin,
                                            std::int64_t end) {
        if (pass.weight_decay != 0) {
            sgd_with_momentum<kRounding, true>(pass, begin, end);
        } else {
            sgd_with_momentum<kRounding, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T, StepPart kPart>
    [[gnu::always_inline]] static void step(const PartOf<AdadeltaPass<T>, kPart>& pass,
                                            std::int64_t begin, std::int64_t end) {
        if (pass.weight_decay != 0) {
            adadelta<kRounding, kPart, true>(pass, begin, end);
        } else {
            adadelta<kRounding, kPart, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T>
    [[gnu::always_inline]] static void step(const AdamaxPass<T>& pass, std::int64_t begin,
                                            std::int64_t end) {
        if (pass.weight_decay != 0) {
            adamax<kRounding, true>(pass, begin, end);
        } else {
            adamax<kRounding, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T, StepPart kPart>
    [[gnu::always_inline]] static void step(const PartOf<NAdamPass<T>, kPart>& pass,
                                            std::int64_t begin, std::int64_t end) {
        if (pass.weight_decay != 0) {
            nadam<kRounding, kPart, true>(pass, begin, end);
        } else {
            nadam<kRounding, kPart, false>(pass, begin, end);
        }
    }

    template <Rounding kRounding, class T>
    [[gnu::always_inline]] static void step(const RpropPass<T>& pass, std::int64_t begin,
                                            std::int64_t end) {
        rprop<kRounding>(pass, begin, end);
    }
};

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

template <class Pass>
void run(const std::vector<Pass>& passes, Rounding rounding, StepPart part) {
    if constexpr (requires(Pass pass) { pass.roots; }) {
        run_part<StepLoops>(passes, rounding, part);
    } else {
        run_all<StepLoops>(passes, rounding);
    }
}

template void run(const std::vector<AdamPass<float>>&, Rounding, StepPart);
template void run(const std::vector<AdamPass<double>>&, Rounding, StepPart);
template void run(const std::vector<SquarePass<float>>&, Rounding, StepPart);
template void run(const std::vector<SquarePass<double>>&, Rounding, StepPart);
template void run(const std::vector<SgdPass<float>>&, Rounding, StepPart);
template void run(const std::vector<SgdPass<double>>&, Rounding, StepPart);
template void run(const std::vector<AdadeltaPass<float>>&, Rounding, StepPart);
template void run(const std::vector<AdadeltaPass<double>>&, Rounding, StepPart);
template void run(const std::vector<AdamaxPass<float>>&, Rounding, StepPart);
template void run(const std::vector<AdamaxPass<double>>&, Rounding, StepPart);
template void run(const std::vector<NAdamPass<float>>&, Rounding, StepPart);
template void run(const std::vector<NAdamPass<double>>&, Rounding, StepPart);
template void run(const std::vector<RpropPass<float>>&, Rounding, StepPart);
template void run(const std::vector<RpropPass<double>>&, Rounding, StepPart);

}  // namespace ptp::engine
