// For each pixel of a moved image its place in the original one, row by row and four at a time.
#pragma once

#include "affine_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

// Return the next integer below or above, without a function call: columns and rows have few
// digits.
inline int64_t floor_of(double number) {
    const auto whole = static_cast<int64_t>(number);
    return whole - (static_cast<double>(whole) > number ? 1 : 0);
}
inline int64_t ceil_of(double number) {
    const auto whole = static_cast<int64_t>(number);
    return whole + (static_cast<double>(whole) < number ? 1 : 0);
}

// The columns of a row from `begin` to before `end`.
struct ColumnRange {
    int64_t begin;
    int64_t end;
};

// Returns the columns within `all` for which low <= start + step * column < high, with `slack` more
// at both ends. A negative slack excludes columns that are beyond a limit by rounding.
inline ColumnRange columns_between(double start, double step, double low, double high,
                                   int64_t slack, ColumnRange all) {
    constexpr double kFlat = 1e-9;
    if (low > high) {  // none: an image of one row or column has no space between two
        return {all.begin, all.begin};
    }
    if (std::abs(step) < kFlat) {
        // In 1e5 columns, start + step * column changes by less than that.
        const double wide = slack < 0 ? -kFlat * 1e5 : kFlat * 1e5;
        const bool is_all = start >= low - wide && start < high + wide;
        return is_all ? all : ColumnRange{all.begin, all.begin};
    }
    constexpr double kFar = 1e15;  // beyond all columns
    const double one = (low - start) / step;
    const double other = (high - start) / step;
    const double first = std::clamp(std::min(one, other), -kFar, kFar);
    const double last = std::clamp(std::max(one, other), -kFar, kFar);
    const int64_t begin = std::clamp(ceil_of(first) - slack, all.begin, all.end);
    const int64_t end = std::clamp(floor_of(last) + 1 + slack, all.begin, all.end);
    return {begin, std::max(begin, end)};
}

// Four pixels at a time, in vectors that every processor supports.
inline constexpr int64_t kLanes = 4;
using Pixels = float __attribute__((vector_size(16)));
using Numbers = int32_t __attribute__((vector_size(16)));
using TwoPlaces = int64_t __attribute__((vector_size(16)));
using TwoPairs = double __attribute__((vector_size(16)));  // of neighboring pixels

// The fractional part of a place, in units of 2^-24: a float has no more digits.
inline constexpr int32_t kPartMask = 0xffffff;
inline constexpr float kPartUnit = 1.0f / (1 << 24);

// A nonnegative place in a row or column, in units of 2^-32: a step of it is one addition.
class FixedPoint {
public:
    FixedPoint(double start, double step) : now_(fixed(start)), step_(fixed(step)) {}

    [[nodiscard]] int64_t whole() const { return now_ >> 32; }
    [[nodiscard]] float part() const {
        return static_cast<float>(static_cast<int32_t>(now_ >> 8 & kPartMask)) * kPartUnit;
    }
    void advance(int64_t steps) { now_ += steps * step_; }
    [[nodiscard]] int64_t after(int64_t steps) const { return now_ + steps * step_; }
    [[nodiscard]] int64_t step() const { return step_; }

private:
    static int64_t fixed(double number) {
        return static_cast<int64_t>(number * static_cast<double>(int64_t{1} << 32));
    }

    int64_t now_;
    int64_t step_;
};

// A place and the three next ones.
class FourPlaces {
public:
    explicit FourPlaces(const FixedPoint& begin)
        : first_{begin.after(0), begin.after(1)},
          second_{begin.after(2), begin.after(3)},
          step_{kLanes * begin.step(), kLanes * begin.step()} {}

    [[nodiscard]] Numbers wholes() const {
        return __builtin_shufflevector(halves(first_), halves(second_), 1, 3, 5, 7);
    }
    [[nodiscard]] Pixels parts() const {
        const Numbers low = __builtin_shufflevector(halves(first_), halves(second_), 0, 2, 4, 6);
        return __builtin_convertvector(low >> 8 & kPartMask, Pixels) * kPartUnit;
    }
    void advance() {
        first_ += step_;
        second_ += step_;
    }

private:
    static Numbers halves(const TwoPlaces& places) {
        Numbers numbers;
        std::memcpy(&numbers, &places, sizeof numbers);
        return numbers;
    }

    TwoPlaces first_;
    TwoPlaces second_;
    TwoPlaces step_;
};

// The places of a row's pixels, as numbers of columns and rows.
class RowPlaces {
public:
    RowPlaces(const PlaceMap& map, const PlaneShape& shape, int64_t row)
        : map_(map), width_(shape.width), middle_(middle(shape.width), middle(shape.height)) {
        const double y = static_cast<double>(row) - middle_.y;
        row_ = {map.x[1] * y, map.y[1] * y};
    }

    // Adds the terms in the order for which places halfway between two pixels are exact.
    [[nodiscard]] double x_of(int64_t column) const {
        return map_.x[0] * from_middle(column) + row_.x + map_.x[2] + middle_.x;
    }
    [[nodiscard]] double y_of(int64_t column) const {
        return map_.y[0] * from_middle(column) + row_.y + map_.y[2] + middle_.y;
    }

    // Starts at the first of these columns. For a single column the step is 0: it may be longer
    // than any image.
    [[nodiscard]] FixedPoint x_from(const ColumnRange& columns, double frame) const {
        return {x_of(columns.begin) + frame, columns.end - columns.begin > 1 ? map_.x[0] : 0};
    }
    [[nodiscard]] FixedPoint y_from(const ColumnRange& columns, double frame) const {
        return {y_of(columns.begin) + frame, columns.end - columns.begin > 1 ? map_.y[0] : 0};
    }

    // Returns the columns where x' is in [low, right), and y' in [low, bottom).
    [[nodiscard]] ColumnRange columns(double low, double right, double bottom,
                                      int64_t slack) const {
        return columns_between(y_of(0), map_.y[0], low, bottom, slack,
                               columns_between(x_of(0), map_.x[0], low, right, slack, {0, width_}));
    }

private:
    struct Place {
        double x, y;
    };

    static double middle(int64_t size) { return static_cast<double>(size) / 2 - 0.5; }
    [[nodiscard]] double from_middle(int64_t column) const {
        return static_cast<double>(column) - middle_.x;
    }

    const PlaceMap& map_;
    int64_t width_;
    Place middle_;
    Place row_{};
};
