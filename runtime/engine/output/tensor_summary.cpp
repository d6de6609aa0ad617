// Sums over the numbers of a tensor, in one pass over its memory on the CPU.

#include "engine/output/tensor_summary.hpp"

#include <ATen/ops/count_nonzero.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/std.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace ptp::engine {

namespace {

// Sums of numbers less a shift, with which the square of a mean takes no digits away.
struct Sums {
    double shift = 0;
    double sum = 0;
    double squares = 0;
    double zeros = 0;  // of the numbers themselves

    [[nodiscard]] double mean(double count) const { return shift + sum / count; }
    [[nodiscard]] double spread(double count) const {  // the squares around the mean
        return squares - sum * sum / count;
    }
};

// Several sums at a time, which vector registers hold: the same numbers in each of them, whatever
// their width is.
constexpr std::size_t kLanes = 16;
template <class Real>
using Lanes = std::array<Real, kLanes>;

// A block of numbers is added up in their own type, with a few numbers in each lane, and the sums
// of blocks in double.
constexpr std::size_t kBlock = 64 * kLanes;

// Below this mean, the squares of single numbers are too small for a float.
constexpr double kSmallestSquare = 1e-30;

// Below this part of the squares around the shift, those around the mean have lost digits.
constexpr double kSmallestSpread = 0.25;

[[gnu::always_inline]] inline double total(const Lanes<double>& lanes) {
    return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

template <class Real>
[[gnu::always_inline]] inline void add_lanes(Lanes<double>& sums, const Lanes<Real>& lanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += static_cast<double>(lanes[lane]);
    }
}

// Calls add(lane, number) for all numbers; to be compiled for several processors.
template <class Number, class Add>
[[gnu::always_inline]] inline void for_each_lane(std::span<const Number> numbers, Add add) {
    std::size_t i = 0;
    for (; i + kLanes <= numbers.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            add(lane, numbers[i + lane]);
        }
    }
    for (; i < numbers.size(); ++i) {
        add(0, numbers[i]);
    }
}

// Calls use(block) for all numbers.
template <class Number, class Use>
[[gnu::always_inline]] inline void for_each_block(std::span<const Number> numbers, Use use) {
    for (std::size_t begin = 0; begin < numbers.size(); begin += kBlock) {
        use(numbers.subspan(begin, std::min(kBlock, numbers.size() - begin)));
    }
}

// `Real` is the type of the sums of a block.
template <class Real, class Number>
[[gnu::always_inline]] inline Sums sums_in_lanes(std::span<const Number> numbers, double shift) {
    Lanes<double> sum{};
    Lanes<double> squares{};
    Lanes<double> zeros{};
    const auto shift_of_block = static_cast<Real>(shift);
    for_each_block(
        numbers, [&](std::span<const Number> block) __attribute__((always_inline)) {
            Lanes<Real> block_sum{};
            Lanes<Real> block_squares{};
            Lanes<Real> block_zeros{};
            for_each_lane(
                block, [&](std::size_t lane, Number number) __attribute__((always_inline)) {
                    const Real value = static_cast<Real>(number) - shift_of_block;
                    block_sum[lane] += value;
                    block_squares[lane] += value * value;
                    block_zeros[lane] += number == 0 ? Real(1) : Real(0);
                });
            add_lanes(sum, block_sum);
            add_lanes(squares, block_squares);
            add_lanes(zeros, block_zeros);
        });
    return {.shift = shift, .sum = total(sum), .squares = total(squares), .zeros = total(zeros)};
}

template <class Real, class Number>
[[gnu::always_inline]] inline double squares_in_lanes(std::span<const Number> numbers) {
    Lanes<double> squares{};
    for_each_block(
        numbers, [&](std::span<const Number> block) __attribute__((always_inline)) {
            Lanes<Real> block_squares{};
            for_each_lane(
                block, [&](std::size_t lane, Number number) __attribute__((always_inline)) {
                    block_squares[lane] += static_cast<Real>(number) * static_cast<Real>(number);
                });
            add_lanes(squares, block_squares);
        });
    return total(squares);
}

#if defined(__x86_64__)
template <class Real, class Number>
[[gnu::target("avx2")]] Sums sums_avx2(std::span<const Number> numbers, double shift) {
    return sums_in_lanes<Real>(numbers, shift);
}
template <class Real, class Number>
[[gnu::target("avx2")]] double squares_avx2(std::span<const Number> numbers) {
    return squares_in_lanes<Real>(numbers);
}

bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0;
}
#endif

template <class Real, class Number>
Sums sums_of(std::span<const Number> numbers, double shift) {
#if defined(__x86_64__)
    if (has_avx2()) {
        return sums_avx2<Real>(numbers, shift);
    }
#endif
    return sums_in_lanes<Real>(numbers, shift);
}

template <class Real, class Number>
double squares_of(std::span<const Number> numbers) {
#if defined(__x86_64__)
    if (has_avx2()) {
        return squares_avx2<Real>(numbers);
    }
#endif
    return squares_in_lanes<Real>(numbers);
}

// Returns whether no square of a typical number, or their sum, has left the range of a float.
bool is_in_range(double squares, std::size_t count) {
    return std::isfinite(squares) && squares >= kSmallestSquare * static_cast<double>(count);
}

template <class Number>
double norm_of_numbers(std::span<const Number> numbers) {
    const double squares = squares_of<Number>(numbers);
    return std::sqrt(is_in_range(squares, numbers.size()) ? squares : squares_of<double>(numbers));
}

// Returns a number near the mean: the mean of the first ones.
template <class Number>
double mean_of_some(std::span<const Number> numbers) {
    const auto some = numbers.first(std::min<std::size_t>(numbers.size(), 64));
    const double sum = std::accumulate(some.begin(), some.end(), 0.0);
    return static_cast<double>(static_cast<Number>(sum / static_cast<double>(some.size())));
}

// Returns the sums with digits enough for a deviation. One pass does for most tensors.
template <class Number>
Sums exact_sums_of(std::span<const Number> numbers) {
    const auto count = static_cast<double>(numbers.size());
    const double shift = mean_of_some(numbers);
    Sums sums = sums_of<Number>(numbers, shift);
    if (!is_in_range(sums.squares, numbers.size())) {
        sums = sums_of<double>(numbers, shift);
    }
    if (!std::isfinite(sums.squares)) {  // an infinite number has an infinite norm
        return sums_of<double>(numbers, 0.0);
    }
    if (sums.spread(count) < kSmallestSpread * sums.squares) {  // the first ones are not like most
        return sums_of<double>(numbers, sums.mean(count));
    }
    return sums;
}

template <class Number>
TensorSummary summary_of_numbers(std::span<const Number> numbers) {
    const Sums sums = exact_sums_of(numbers);
    const auto count = static_cast<double>(numbers.size());
    const double spread = sums.spread(count);
    const double mean = sums.mean(count);
    const double square_sum = sums.shift == 0 ? sums.squares : spread + count * mean * mean;
    return {.mean = mean,
            .deviation =
                count > 1
                    ? std::sqrt(std::isnan(spread) ? spread : std::max(spread, 0.0) / (count - 1))
                    : 0,
            .zeros = sums.zeros / count,
            .norm = std::sqrt(square_sum)};
}

// Returns the numbers of a tensor in a type with enough digits for sums.
at::Tensor elements_of(const at::Tensor& tensor) {
    const at::Tensor numbers = tensor.is_sparse() ? tensor.coalesce().values() : tensor.detach();
    return numbers.scalar_type() == at::kDouble ? numbers : numbers.to(at::kFloat);
}

template <class Number>
std::span<const Number> span_of(const at::Tensor& numbers) {
    return {numbers.data_ptr<Number>(), static_cast<std::size_t>(numbers.numel())};
}

double norm_of(const at::Tensor& numbers) {
    return at::linalg_vector_norm(numbers, 2, at::OptionalIntArrayRef(), false, at::kDouble)
        .item<double>();
}

}  // namespace

double norm_of_tensor(const at::Tensor& tensor) {
    const c10::AutoGradMode without_gradients(false);
    const at::Tensor numbers = elements_of(tensor);
    if (!numbers.is_cpu()) {
        return norm_of(numbers);
    }
    const at::Tensor dense = numbers.contiguous();
    return dense.scalar_type() == at::kDouble ? norm_of_numbers(span_of<double>(dense))
                                              : norm_of_numbers(span_of<float>(dense));
}

TensorSummary summary_of(const at::Tensor& tensor) {
    const c10::AutoGradMode without_gradients(false);
    const at::Tensor numbers = elements_of(tensor);
    if (numbers.numel() == 0) {
        return {};
    }
    if (numbers.is_cpu()) {
        const at::Tensor dense = numbers.contiguous();
        return dense.scalar_type() == at::kDouble ? summary_of_numbers(span_of<double>(dense))
                                                  : summary_of_numbers(span_of<float>(dense));
    }
    const auto count = static_cast<double>(numbers.numel());
    return {.mean = numbers.mean(at::kDouble).item<double>(),
            .deviation = numbers.numel() > 1 ? numbers.std(true).item<double>() : 0,
            .zeros = 1 - static_cast<double>(numbers.count_nonzero().item<std::int64_t>()) / count,
            .norm = norm_of(numbers)};
}

}  // namespace ptp::engine
