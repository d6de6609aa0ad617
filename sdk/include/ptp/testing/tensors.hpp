// Tensors for tests: simple formulas, so that every element differs from its neighbors, is the same
// on every machine, and can be computed by hand or in another language. k is the number of an
// element in row-major order. docs/testing-components.md has the same formulas for case files.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <cstdint>

namespace ptp::testing {

namespace detail {

inline at::Tensor numbers(at::IntArrayRef shape, at::ScalarType type) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        count *= size;
    }
    return at::arange(count, at::TensorOptions().dtype(type)).view(shape);
}

}  // namespace detail

// The parameters of the waves: sin(step k + phase).
struct Wave {
    double phase = 0;
    double step = 0.7;
    at::ScalarType type = at::kFloat;  // of the result; computed in float64
};

// Returns 1.5 sin(step k + phase): reals of both signs.
inline at::Tensor sines(at::IntArrayRef shape, const Wave& wave = {}) {
    const at::Tensor k = detail::numbers(shape, at::kDouble);
    return ((k * wave.step + wave.phase).sin() * 1.5).to(wave.type);
}

// Returns cos(step k + phase).
inline at::Tensor waves(at::IntArrayRef shape, const Wave& wave = {}) {
    const at::Tensor k = detail::numbers(shape, at::kDouble);
    return (k * wave.step + wave.phase).cos().to(wave.type);
}

// Returns k.
inline at::Tensor range(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
    return detail::numbers(shape, type);
}

// Returns (k^2 + 1) mod count, int64: classes with different frequencies.
inline at::Tensor squares(at::IntArrayRef shape, std::int64_t count) {
    const at::Tensor k = detail::numbers(shape, at::kLong);
    return (k * k + 1).remainder(count);
}

// Returns (k + floor(k / 7)) mod count, int64: all classes, in a shifting order.
inline at::Tensor stairs(at::IntArrayRef shape, std::int64_t count) {
    const at::Tensor k = detail::numbers(shape, at::kLong);
    return (k + k.floor_divide(7)).remainder(count);
}

// Returns whether k mod 3 is not 1, bool: two of three elements are true.
inline at::Tensor masks(at::IntArrayRef shape) {
    return detail::numbers(shape, at::kLong).remainder(3).ne(1);
}

// Returns (k mod 4 + 1) / 2: 0.5, 1, 1.5, 2, repeatedly.
inline at::Tensor weights(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
    return ((detail::numbers(shape, at::kDouble).remainder(4) + 1) * 0.5).to(type);
}

// Returns a tensor of equal numbers.
inline at::Tensor filled(at::IntArrayRef shape, double value, at::ScalarType type = at::kFloat) {
    return at::full(shape, value, at::TensorOptions().dtype(type));
}

}  // namespace ptp::testing
