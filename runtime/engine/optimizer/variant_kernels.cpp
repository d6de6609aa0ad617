#include "engine/optimizer/variant_kernels.hpp"

#include "engine/optimizer/step_loops.hpp"

namespace ptp::engine {

namespace {

using namespace step_loops;

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

struct VariantLoops {
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

void run(const std::vector<AdadeltaPass<float>>& passes, Rounding rounding, StepPart part) {
    run_part<VariantLoops>(passes, rounding, part);
}

void run(const std::vector<AdadeltaPass<double>>& passes, Rounding rounding, StepPart part) {
    run_part<VariantLoops>(passes, rounding, part);
}

void run(const std::vector<AdamaxPass<float>>& passes, Rounding rounding) {
    run_all<VariantLoops>(passes, rounding);
}

void run(const std::vector<AdamaxPass<double>>& passes, Rounding rounding) {
    run_all<VariantLoops>(passes, rounding);
}

void run(const std::vector<NAdamPass<float>>& passes, Rounding rounding, StepPart part) {
    run_part<VariantLoops>(passes, rounding, part);
}

void run(const std::vector<NAdamPass<double>>& passes, Rounding rounding, StepPart part) {
    run_part<VariantLoops>(passes, rounding, part);
}

void run(const std::vector<RpropPass<float>>& passes, Rounding rounding) {
    run_all<VariantLoops>(passes, rounding);
}

void run(const std::vector<RpropPass<double>>& passes, Rounding rounding) {
    run_all<VariantLoops>(passes, rounding);
}

}  // namespace ptp::engine
