#include "affine_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace {

// The columns of a row from `begin` to before `end`.
struct ColumnRange {
    int64_t begin;
    int64_t end;
};

// Those for which low <= start + step * column < high, `slack` more at both ends, within `all`.
// With a negative slack it is fewer: none of them is beyond a limit by rounding.
ColumnRange columns_between(double start, double step, double low, double high, int64_t slack,
                            ColumnRange all) {
    constexpr double kFlat = 1e-9;
    if (low > high) {  // none: an image of one row or column has nothing between two of them
        return {all.begin, all.begin};
    }
    if (std::abs(step) < kFlat) {
        const double wide = slack < 0 ? -kFlat * 1e5 : kFlat * 1e5;
        const bool is_all = start >= low - wide && start < high + wide;
        return is_all ? all : ColumnRange{all.begin, all.begin};
    }
    const double one = (low - start) / step;
    const double other = (high - start) / step;
    const auto within = [all](double column) {
        return column >= static_cast<double>(all.end)    ? all.end
               : column > static_cast<double>(all.begin) ? static_cast<int64_t>(column)
                                                         : all.begin;
    };
    const int64_t begin = within(std::ceil(std::min(one, other)) - static_cast<double>(slack));
    const int64_t end = within(std::floor(std::max(one, other)) + 1 + static_cast<double>(slack));
    return {begin, std::max(begin, end)};
}

// The places of a row's pixels, as numbers of columns and rows.
class RowPlaces {
public:
    RowPlaces(const PlaceMap& map, const PlaneShape& shape, int64_t row)
        : map_(map), width_(shape.width), middle_(middle(shape.width), middle(shape.height)) {
        const double y = static_cast<double>(row) - middle_.y;
        row_ = {map.x[1] * y, map.y[1] * y};
    }

    // In the order of terms by which numbers half way between two pixels are exact.
    double x_of(int64_t column) const {
        return map_.x[0] * from_middle(column) + row_.x + map_.x[2] + middle_.x;
    }
    double y_of(int64_t column) const {
        return map_.y[0] * from_middle(column) + row_.y + map_.y[2] + middle_.y;
    }
    double x_step() const { return map_.x[0]; }
    double y_step() const { return map_.y[0]; }

    // Where x' is from `low` to before `right`, and y' from `low` to before `bottom`.
    ColumnRange columns(double low, double right, double bottom, int64_t slack) const {
        return columns_between(y_of(0), map_.y[0], low, bottom, slack,
                               columns_between(x_of(0), map_.x[0], low, right, slack, {0, width_}));
    }

private:
    struct Place {
        double x, y;
    };

    static double middle(int64_t size) { return static_cast<double>(size) / 2 - 0.5; }
    double from_middle(int64_t column) const { return static_cast<double>(column) - middle_.x; }

    const PlaceMap& map_;
    int64_t width_;
    Place middle_;
    Place row_{};
};

// A number that is not negative, in 2^-32: a step of it is one addition.
class FixedPoint {
public:
    FixedPoint(double start, double step) : now_(fixed(start)), step_(fixed(step)) {}

    int64_t whole() const { return now_ >> 32; }
    float part() const {
        constexpr float kUnit = 1.0f / (1 << 24);  // a float has no more digits
        return static_cast<float>(static_cast<int32_t>(now_ >> 8 & 0xffffff)) * kUnit;
    }
    void advance() { now_ += step_; }

private:
    static int64_t fixed(double number) {
        return static_cast<int64_t>(number * static_cast<double>(int64_t{1} << 32));
    }

    int64_t now_;
    int64_t step_;
};

// All four pixels around the places are in the image, also when they are off by kMargin.
constexpr double kMargin = 1e-4;

void interpolate(const float* from, const PlaneShape& shape, const RowPlaces& places,
                 ColumnRange columns, float* to) {
    const int64_t plane = shape.height * shape.width;
    FixedPoint x(places.x_of(columns.begin), places.x_step());
    FixedPoint y(places.y_of(columns.begin), places.y_step());
    for (int64_t column = columns.begin; column < columns.end; ++column) {
        const float* pixel = from + y.whole() * shape.width + x.whole();
        const float right_share = x.part();
        const float low_share = y.part();
        float* made = to + column;
        for (int64_t channel = 0; channel < shape.channels; ++channel) {
            const float* const below = pixel + shape.width;
            const float high = pixel[0] + right_share * (pixel[1] - pixel[0]);
            const float low = below[0] + right_share * (below[1] - below[0]);
            *made = high + low_share * (low - high);
            pixel += plane;
            made += plane;
        }
        x.advance();
        y.advance();
    }
}

template <class Number>
void fill_row(const PlaneShape& shape, ColumnRange columns, Number fill, Number* to) {
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
        std::fill(to + columns.begin, to + columns.end, fill);
        to += shape.height * shape.width;
    }
}

// Whether a pixel of the image has a part in the place.
bool is_near(double x, double y, const PlaneShape& shape) {
    return x > -1 && y > -1 && x < static_cast<double>(shape.width) &&
           y < static_cast<double>(shape.height);
}

// As interpolate(), but any of the four may be outside.
void interpolate_border(const float* from, const PlaneShape& shape, const RowPlaces& places,
                        ColumnRange columns, float fill, float* to) {
    const int64_t plane = shape.height * shape.width;
    for (int64_t column = columns.begin; column < columns.end; ++column) {
        const double x = places.x_of(column);
        const double y = places.y_of(column);
        if (!is_near(x, y, shape)) {
            fill_row(shape, {column, column + 1}, fill, to);
            continue;
        }
        const double left = std::floor(x);
        const double top = std::floor(y);
        const auto right_share = static_cast<float>(x - left);
        const auto low_share = static_cast<float>(y - top);
        const auto pixel = [&](const float* image, int64_t down, int64_t right) {
            const int64_t row = static_cast<int64_t>(top) + down;
            const int64_t place = static_cast<int64_t>(left) + right;
            const bool is_inside =
                row >= 0 && row < shape.height && place >= 0 && place < shape.width;
            return is_inside ? image[row * shape.width + place] : fill;
        };
        for (int64_t channel = 0; channel < shape.channels; ++channel) {
            const float* const image = from + channel * plane;
            const float high_left = pixel(image, 0, 0);
            const float low_left = pixel(image, 1, 0);
            const float high = high_left + right_share * (pixel(image, 0, 1) - high_left);
            const float low = low_left + right_share * (pixel(image, 1, 1) - low_left);
            to[channel * plane + column] = high + low_share * (low - high);
        }
    }
}

// Of two integers as near the even one. REQUIRES: the number is far below 2^51.
int64_t nearest(double number) {
    constexpr double kOneForAnInteger = 6755399441055744.0;  // 1.5 * 2^52, where doubles are whole
    return static_cast<int64_t>(number + kOneForAnInteger - kOneForAnInteger);
}

template <class Number>
void take_nearest(const Number* from, const PlaneShape& shape, const PlaceMap& map, Number fill,
                  Number* to) {
    const int64_t plane = shape.height * shape.width;
    for (int64_t row = 0; row < shape.height; ++row, to += shape.width) {
        const RowPlaces places(map, shape, row);
        const ColumnRange near = places.columns(-1, static_cast<double>(shape.width),
                                                static_cast<double>(shape.height), 1);
        fill_row(shape, {0, near.begin}, fill, to);
        for (int64_t column = near.begin; column < near.end; ++column) {
            const double place_x = places.x_of(column);
            const double place_y = places.y_of(column);
            if (!is_near(place_x, place_y, shape)) {
                fill_row(shape, {column, column + 1}, fill, to);
                continue;
            }
            const int64_t x = nearest(place_x);
            const int64_t y = nearest(place_y);
            const bool is_inside = x >= 0 && x < shape.width && y >= 0 && y < shape.height;
            for (int64_t channel = 0; channel < shape.channels; ++channel) {
                to[channel * plane + column] =
                    is_inside ? from[channel * plane + y * shape.width + x] : fill;
            }
        }
        fill_row(shape, {near.end, shape.width}, fill, to);
    }
}

}  // namespace

void move_bilinear(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                   float* to) {
    const auto width = static_cast<double>(shape.width);
    const auto height = static_cast<double>(shape.height);
    for (int64_t row = 0; row < shape.height; ++row, to += shape.width) {
        const RowPlaces places(map, shape, row);
        const ColumnRange near = places.columns(-1, width, height, 1);
        ColumnRange inner = places.columns(kMargin, width - 1 - kMargin, height - 1 - kMargin, -1);
        inner.begin = std::clamp(inner.begin, near.begin, near.end);
        inner.end = std::clamp(inner.end, inner.begin, near.end);
        if (inner.end - inner.begin < 2) {  // then a step may be longer than the image
            inner.end = inner.begin;
        }
        fill_row(shape, {0, near.begin}, fill, to);
        interpolate_border(from, shape, places, {near.begin, inner.begin}, fill, to);
        interpolate(from, shape, places, inner, to);
        interpolate_border(from, shape, places, {inner.end, near.end}, fill, to);
        fill_row(shape, {near.end, shape.width}, fill, to);
    }
}

void move_nearest(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                  float* to) {
    take_nearest(from, shape, map, fill, to);
}

void move_nearest(const int64_t* from, const PlaneShape& shape, const PlaceMap& map, int64_t fill,
                  int64_t* to) {
    take_nearest(from, shape, map, fill, to);
}
