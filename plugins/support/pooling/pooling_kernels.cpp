// The loops over windows, written with vector types of GCC, and compiled for AVX2 and for any
// processor. Windows is the arithmetic of one vector; pool_planes() and pool_planes_back() loop
// over rows.

#include "pooling_kernels.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>

namespace ptp::support {

namespace {

constexpr std::int64_t kGrain = 32768;  // numbers per thread, as in libtorch

// Vectors of 32 bytes; a processor without such vectors uses several smaller ones.
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
    using Numbers [[gnu::vector_size(32)]] = float;
    using Masks [[gnu::vector_size(32)]] = std::int32_t;
    static constexpr std::int64_t kCount = 8;
    static constexpr Masks kEven = {0, 2, 4, 6, 8, 10, 12, 14};
    static constexpr Masks kOdd = {1, 3, 5, 7, 9, 11, 13, 15};
    static constexpr Masks kFirstHalves = {0, 8, 1, 9, 2, 10, 3, 11};
    static constexpr Masks kSecondHalves = {4, 12, 5, 13, 6, 14, 7, 15};
};
template <>
struct VectorOf<double> {
    using Numbers [[gnu::vector_size(32)]] = double;
    using Masks [[gnu::vector_size(32)]] = std::int64_t;
    static constexpr std::int64_t kCount = 4;
    static constexpr Masks kEven = {0, 2, 4, 6};
    static constexpr Masks kOdd = {1, 3, 5, 7};
    static constexpr Masks kFirstHalves = {0, 4, 1, 5};
    static constexpr Masks kSecondHalves = {2, 6, 3, 7};
};

// Loads and stores the left and the right numbers of neighboring windows: Many those of a vector of
// windows, One those of a single window.
template <class T>
struct Many {
    using Numbers = typename VectorOf<T>::Numbers;
    using Masks = typename VectorOf<T>::Masks;

    [[gnu::always_inline]] static void load_pairs(const T* from, Numbers& even, Numbers& odd) {
        Numbers low;
        Numbers high;
        std::memcpy(&low, from, sizeof low);
        std::memcpy(&high, from + VectorOf<T>::kCount, sizeof high);
        even = __builtin_shuffle(low, high, VectorOf<T>::kEven);
        odd = __builtin_shuffle(low, high, VectorOf<T>::kOdd);
    }
    [[gnu::always_inline]] static void store_pairs(T* to, const Numbers& even, const Numbers& odd) {
        const Numbers low = __builtin_shuffle(even, odd, VectorOf<T>::kFirstHalves);
        const Numbers high = __builtin_shuffle(even, odd, VectorOf<T>::kSecondHalves);
        std::memcpy(to, &low, sizeof low);
        std::memcpy(to + VectorOf<T>::kCount, &high, sizeof high);
    }
};
template <class T>
struct One {
    using Numbers = T;
    using Masks = bool;

    [[gnu::always_inline]] static void load_pairs(const T* from, T& even, T& odd) {
        even = from[0];
        odd = from[1];
    }
    [[gnu::always_inline]] static void store_pairs(T* to, const T& even, const T& odd) {
        to[0] = even;
        to[1] = odd;
    }
};

// Processes one window, or several side by side.
template <class Lanes, Before kBefore>
struct Windows {
    using Numbers = typename Lanes::Numbers;
    using Masks = typename Lanes::Masks;

    template <class T>
    [[gnu::always_inline]] Windows(const T* top, const T* bottom) {
        Numbers first;
        Numbers second;
        Numbers third;
        Numbers fourth;
        Lanes::load_pairs(top, first, second);
        Lanes::load_pairs(bottom, third, fourth);
        before(first);
        before(second);
        before(third);
        before(fourth);
        highest = first;
        take(second, second_wins);
        take(third, third_wins);
        take(fourth, fourth_wins);
    }

    // Applies libtorch's relu, which does not change -0 and nan.
    [[gnu::always_inline]] static void before(Numbers& numbers) {
        if constexpr (kBefore == Before::kRelu) {
            const Numbers zero{};
            numbers = numbers < zero ? zero : numbers;
        }
    }
    [[gnu::always_inline]] void take(const Numbers& next, Masks& wins) {
        wins = (next > highest) | (next != next);  // NOLINT(misc-redundant-expression): nan
        highest = wins ? next : highest;
    }

    Numbers highest;
    Masks second_wins;  // against the first
    Masks third_wins;   // against both
    Masks fourth_wins;
};

template <class Lanes, Before kBefore, class T>
[[gnu::always_inline]] inline void pool_here(const T* top, const T* bottom, T* pooled) {
    const Windows<Lanes, kBefore> windows(top, bottom);
    std::memcpy(pooled, &windows.highest, sizeof windows.highest);
}

// Two rows of the maps, and one of the pooled maps.
template <class T>
struct Rows {
    const T* top;
    const T* bottom;
    const T* gradients;
    T* top_gradients;
    T* bottom_gradients;
};

template <class Lanes, Before kBefore, class T>
[[gnu::always_inline]] inline void pool_back_at(const Rows<T>& rows, std::int64_t column) {
    using Numbers = typename Lanes::Numbers;
    const Windows<Lanes, kBefore> windows(rows.top + 2 * column, rows.bottom + 2 * column);
    const Numbers zero{};
    Numbers gradient;
    std::memcpy(&gradient, rows.gradients + column, sizeof gradient);
    gradient = zero + gradient;  // as in libtorch's addition to 0, -0 becomes 0
    if constexpr (kBefore == Before::kRelu) {
        gradient = windows.highest <= zero ? zero : gradient;
    }
    const Numbers to_fourth = windows.fourth_wins ? gradient : zero;
    gradient = windows.fourth_wins ? zero : gradient;
    const Numbers to_third = windows.third_wins ? gradient : zero;
    gradient = windows.third_wins ? zero : gradient;
    const Numbers to_second = windows.second_wins ? gradient : zero;
    gradient = windows.second_wins ? zero : gradient;
    // This order is required: a vector of the upper row may end in the lower one.
    Lanes::store_pairs(rows.top_gradients + 2 * column, gradient, to_second);
    Lanes::store_pairs(rows.bottom_gradients + 2 * column, to_third, to_fourth);
}

template <Before kBefore, class T>
[[gnu::always_inline]] inline void pool_rows_back(const Rows<T>& rows, std::int64_t columns,
                                                  bool may_run_over) {
    constexpr std::int64_t kCount = VectorOf<T>::kCount;
    const std::int64_t whole = columns / kCount * kCount;  // complete vectors within the row
    if (whole < columns && may_run_over) {
        // Processed first, because it overwrites the beginning of the lower row.
        pool_back_at<Many<T>, kBefore>(rows, whole);
    }
    for (std::int64_t i = 0; i < whole; i += kCount) {
        pool_back_at<Many<T>, kBefore>(rows, i);
    }
    for (std::int64_t i = may_run_over ? columns : whole; i < columns; ++i) {
        pool_back_at<One<T>, kBefore>(rows, i);
    }
}

// If the rest of a row is shorter than a vector, the vector extends into the next rows, which are
// written later; only at the end of the memory, or of a thread's part, windows are processed
// singly.
template <Before kBefore, class T>
[[gnu::always_inline]] inline void pool_planes(const T* maps, T* pooled, const MapSizes& sizes,
                                               std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kCount = VectorOf<T>::kCount;
    const std::int64_t rows = sizes.height / 2;
    const std::int64_t columns = sizes.width / 2;
    const std::int64_t padded = (columns + kCount - 1) / kCount * kCount;
    const T* const maps_end = maps + sizes.planes * sizes.height * sizes.width;
    const T* const pooled_end = pooled + end * rows * columns;
    for (std::int64_t plane = begin; plane < end; ++plane) {
        for (std::int64_t row = 0; row < rows; ++row) {
            const T* const top = maps + (plane * sizes.height + 2 * row) * sizes.width;
            const T* const bottom = top + sizes.width;
            T* const to = pooled + (plane * rows + row) * columns;
            const bool fits = maps_end - bottom >= 2 * padded && pooled_end - to >= padded;
            std::int64_t i = 0;
            for (; i + kCount <= (fits ? padded : columns); i += kCount) {
                pool_here<Many<T>, kBefore>(top + 2 * i, bottom + 2 * i, to + i);
            }
            for (; i < columns; ++i) {
                pool_here<One<T>, kBefore>(top + 2 * i, bottom + 2 * i, to + i);
            }
        }
    }
}

template <Before kBefore, class T>
[[gnu::always_inline]] inline void pool_planes_back(const T* maps, const T* gradients,
                                                    T* map_gradients, const MapSizes& sizes,
                                                    std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kCount = VectorOf<T>::kCount;
    const std::int64_t columns = sizes.width / 2;
    const std::int64_t padded = (columns + kCount - 1) / kCount * kCount;
    const std::int64_t plane_size = sizes.height * sizes.width;
    const T* const maps_end = maps + sizes.planes * plane_size;
    const T* const gradients_end = gradients + sizes.planes * (sizes.height / 2) * columns;
    const T* const written_end = map_gradients + end * plane_size;
    const T* from = gradients + begin * (sizes.height / 2) * columns;
    for (std::int64_t plane = begin; plane < end; ++plane) {
        const T* const its_maps = maps + plane * plane_size;
        T* const its_gradients = map_gradients + plane * plane_size;
        for (std::int64_t top = 0; top + 1 < sizes.height; top += 2, from += columns) {
            const Rows<T> rows{its_maps + top * sizes.width, its_maps + (top + 1) * sizes.width,
                               from, its_gradients + top * sizes.width,
                               its_gradients + (top + 1) * sizes.width};
            const bool may_run_over = maps_end - rows.bottom >= 2 * padded &&
                                      written_end - rows.bottom_gradients >= 2 * padded &&
                                      gradients_end - from >= padded;
            pool_rows_back<kBefore>(rows, columns, may_run_over);
            if (sizes.width % 2 != 0) {
                rows.top_gradients[sizes.width - 1] = 0;
                rows.bottom_gradients[sizes.width - 1] = 0;
            }
        }
        if (sizes.height % 2 != 0) {
            std::fill_n(its_gradients + plane_size - sizes.width, sizes.width, T(0));
        }
    }
}

// These functions are the same loops, compiled once for any processor and once for AVX2.
template <Before kBefore, class T>
void pool_anywhere(const T* maps, T* pooled, const MapSizes& sizes, std::int64_t begin,
                   std::int64_t end) {
    pool_planes<kBefore>(maps, pooled, sizes, begin, end);
}

template <Before kBefore, class T>
void pool_back_anywhere(const T* maps, const T* gradients, T* map_gradients, const MapSizes& sizes,
                        std::int64_t begin, std::int64_t end) {
    pool_planes_back<kBefore>(maps, gradients, map_gradients, sizes, begin, end);
}

#if defined(__x86_64__)
template <Before kBefore, class T>
[[gnu::target("avx2")]] void pool_avx2(const T* maps, T* pooled, const MapSizes& sizes,
                                       std::int64_t begin, std::int64_t end) {
    pool_planes<kBefore>(maps, pooled, sizes, begin, end);
}

template <Before kBefore, class T>
[[gnu::target("avx2")]] void pool_back_avx2(const T* maps, const T* gradients, T* map_gradients,
                                            const MapSizes& sizes, std::int64_t begin,
                                            std::int64_t end) {
    pool_planes_back<kBefore>(maps, gradients, map_gradients, sizes, begin, end);
}

template <Before kBefore, class T>
auto pool_for_this_processor() {
    return __builtin_cpu_supports("avx2") != 0 ? pool_avx2<kBefore, T> : pool_anywhere<kBefore, T>;
}

template <Before kBefore, class T>
auto pool_back_for_this_processor() {
    return __builtin_cpu_supports("avx2") != 0 ? pool_back_avx2<kBefore, T>
                                               : pool_back_anywhere<kBefore, T>;
}
#else
template <Before kBefore, class T>
auto pool_for_this_processor() {
    return pool_anywhere<kBefore, T>;
}

template <Before kBefore, class T>
auto pool_back_for_this_processor() {
    return pool_back_anywhere<kBefore, T>;
}
#endif

// Distributes the planes among the threads.
void for_planes(const MapSizes& sizes, const auto& work) {
    const std::int64_t grain = kGrain / std::max<std::int64_t>(sizes.height * sizes.width, 1);
    at::parallel_for(0, sizes.planes, std::max<std::int64_t>(grain, 1), work);
}

template <class T>
void pool_all(const T* maps, T* pooled, const MapSizes& sizes, Before before) {
    const auto pool = before == Before::kRelu ? pool_for_this_processor<Before::kRelu, T>()
                                              : pool_for_this_processor<Before::kNothing, T>();
    for_planes(sizes, [&](std::int64_t begin, std::int64_t end) {
        pool(maps, pooled, sizes, begin, end);
    });
}

template <class T>
void pool_all_back(const T* maps, const T* gradients, T* map_gradients, const MapSizes& sizes,
                   Before before) {
    const auto pool_back = before == Before::kRelu
                               ? pool_back_for_this_processor<Before::kRelu, T>()
                               : pool_back_for_this_processor<Before::kNothing, T>();
    for_planes(sizes, [&](std::int64_t begin, std::int64_t end) {
        pool_back(maps, gradients, map_gradients, sizes, begin, end);
    });
}

}  // namespace

void pool(const float* maps, float* pooled, const MapSizes& sizes, Before before) {
    pool_all(maps, pooled, sizes, before);
}

void pool(const double* maps, double* pooled, const MapSizes& sizes, Before before) {
    pool_all(maps, pooled, sizes, before);
}

void pool_backward(const float* maps, const float* gradients, float* map_gradients,
                   const MapSizes& sizes, Before before) {
    pool_all_back(maps, gradients, map_gradients, sizes, before);
}

void pool_backward(const double* maps, const double* gradients, double* map_gradients,
                   const MapSizes& sizes, Before before) {
    pool_all_back(maps, gradients, map_gradients, sizes, before);
}

}  // namespace ptp::support
