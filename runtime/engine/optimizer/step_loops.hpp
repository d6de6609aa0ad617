// The common parts of all step loops: rounding, and the selection of a compilation by the
// processor.
//
// `Loops` is a struct of each file, with the functions
//   template <Rounding kRounding, ...> static void step(const Pass&, begin, end);
// that are inlined into the function for each kind of processor.

#pragma once

#include "engine/optimizer/step_kernels.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ptp::engine::step_loops {

inline constexpr std::int64_t kGrain = 32768;  // numbers for a thread, as in libtorch

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

// A pass whose part is a type, so that its loops are compiled separately.
template <class Pass, StepPart kPart>
struct PartOf : Pass {};

// Runs the loops compiled for the processor's instructions.
template <class Loops, Rounding kRounding, class Pass>
void step_anywhere(const Pass& pass, std::int64_t begin, std::int64_t end) {
    Loops::template step<kRounding>(pass, begin, end);
}

template <class Pass>
using Step = void (*)(const Pass& pass, std::int64_t begin, std::int64_t end);

#if defined(__x86_64__)
template <class Loops, class Pass>
[[gnu::target("avx2,fma")]] void step_avx2(const Pass& pass, std::int64_t begin, std::int64_t end) {
    Loops::template step<Rounding::kOnce>(pass, begin, end);
}

template <class Loops, class Pass>
[[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]] void step_avx512(
    const Pass& pass, std::int64_t begin, std::int64_t end) {
    Loops::template step<Rounding::kOnce>(pass, begin, end);
}

template <class Loops, class Pass>
Step<Pass> step_rounded_once() {
    const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 &&
                            __builtin_cpu_supports("avx512dq") != 0 &&
                            __builtin_cpu_supports("avx512vl") != 0;
    return has_avx512 ? step_avx512<Loops, Pass> : step_avx2<Loops, Pass>;
}
#else
template <class Loops, class Pass>
Step<Pass> step_rounded_once() {
    return step_anywhere<Loops, Rounding::kOnce, Pass>;
}
#endif

template <class Loops, class Pass>
void run_all(const std::vector<Pass>& passes, Rounding rounding) {
    const Step<Pass> step = rounding == Rounding::kOnce
                                ? step_rounded_once<Loops, Pass>()
                                : step_anywhere<Loops, Rounding::kTwice, Pass>;
    std::int64_t total = 0;
    for (const Pass& pass : passes) {
        total += pass.size;
    }
    // A thread's share may begin and end within a parameter.
    at::parallel_for(0, total, kGrain, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t first = 0;  // of the pass
        for (const Pass& pass : passes) {
            const std::int64_t from = std::max<std::int64_t>(begin - first, 0);
            const std::int64_t to = std::min(end - first, pass.size);
            if (from < to) {
                step(pass, from, to);
            }
            first += pass.size;
        }
    });
}

template <class Loops, StepPart kPart, class Pass>
void run_as(const std::vector<Pass>& passes, Rounding rounding) {
    std::vector<PartOf<Pass, kPart>> parts;
    parts.reserve(passes.size());
    for (const Pass& pass : passes) {
        parts.push_back({pass});
    }
    run_all<Loops>(parts, rounding);
}

template <class Loops, class Pass>
void run_part(const std::vector<Pass>& passes, Rounding rounding, StepPart part) {
    switch (part) {
        case StepPart::kWhole:
            run_as<Loops, StepPart::kWhole>(passes, rounding);
            return;
        case StepPart::kMeans:
            run_as<Loops, StepPart::kMeans>(passes, rounding);
            return;
        case StepPart::kWeights:
            run_as<Loops, StepPart::kWeights>(passes, rounding);
            return;
    }
}

}  // namespace ptp::engine::step_loops
