// Tensors for tests: small formulas, so that every element differs from its neighbors, is the same
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

// How the waves run: sin(step k + phase).
struct Wave {
    double phase = 0;
    double step = 0.7;
    at::ScalarType type = at::kFloat;  // computed in float64 whatever it is
};

// 1.5 sin(step k + phase): reals of both signs.
inline at::Tensor sines(at::IntArrayRef shape, const Wave& wave = {}) {
    const at::Tensor k = detail::numbers(shape, at::kDouble);
    return ((k * wave.step + wave.phase).sin() * 1.5).to(wave.type);
}

// cos(step k + phase).
inline at::Tensor waves(at::IntArrayRef shape, const Wave& wave = {}) {
    const at::Tensor k = detail::numbers(shape, at::kDouble);
    return (k * wave.step + wave.phase).cos().to(wave.type);
}

// k.
inline at::Tensor range(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
    return detail::numbers(shape, type);
}

// (k^2 + 1) mod count, int64: classes that come at different rates.
inline at::Tensor squares(at::IntArrayRef shape, std::int64_t count) {
    const at::Tensor k = detail::numbers(shape, at::kLong);
    return (k * k + 1).remainder(count);
}

// (k + floor(k / 7)) mod count, int64: all classes, in an order that shifts.
inline at::Tensor stairs(at::IntArrayRef shape, std::int64_t count) {
    const at::Tensor k = detail::numbers(shape, at::kLong);
    return (k + k.floor_divide(7)).remainder(count);
}

// k mod 3 is not 1, bool: two of three.
inline at::Tensor masks(at::IntArrayRef shape) {
    return detail::numbers(shape, at::kLong).remainder(3).ne(1);
}

// (k mod 4 + 1) / 2: 0.5, 1, 1.5, 2, and again.
inline at::Tensor weights(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
    return ((detail::numbers(shape, at::kDouble).remainder(4) + 1) * 0.5).to(type);
}

// The same number everywhere.
inline at::Tensor filled(at::IntArrayRef shape, double value, at::ScalarType type = at::kFloat) {
    return at::full(shape, value, at::TensorOptions().dtype(type));
}

}  // namespace ptp::testing
