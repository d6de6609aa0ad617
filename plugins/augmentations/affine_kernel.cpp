// Interpolates four columns at a time between the four pixels around each place, and single ones
// at the edges.

#include "affine_kernel.hpp"

#include "affine_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

namespace {

// The margin by which all four pixels around the places must be in the image, against rounding.
constexpr double kMargin = 1e-4;

// The pixels at four places, and those to their right.
struct Neighbors {
    Pixels left;
    Pixels right;
};

Neighbors neighbors(const float* image, const std::array<int32_t, kLanes>& places) {
    const auto pair = [&](size_t lane) {
        double two = 0;
        std::memcpy(&two, image + places[lane], sizeof two);
        return two;
    };
    const TwoPairs first{pair(0), pair(1)};
    const TwoPairs second{pair(2), pair(3)};
    Pixels low;
    Pixels high;
    std::memcpy(&low, &first, sizeof low);
    std::memcpy(&high, &second, sizeof high);
    return {__builtin_shufflevector(low, high, 0, 2, 4, 6),
            __builtin_shufflevector(low, high, 1, 3, 5, 7)};
}

// The source and the destination: one channel after the other, the first row stored separately.
struct Channels {
    int64_t count;
    const float* from;
    int64_t from_width;
    int64_t from_plane;
    float* to;
    int64_t to_plane;
};

// Interpolates four columns. REQUIRES: the numbers of pixels fit into 32 bits.
void interpolate_four(const Channels& channels, const FourPlaces& x, const FourPlaces& y,
                      int64_t column) {
    const Numbers pixels = y.wholes() * static_cast<int32_t>(channels.from_width) + x.wholes();
    std::array<int32_t, kLanes> places{};
    std::memcpy(places.data(), &pixels, sizeof pixels);
    const Pixels right_share = x.parts();
    const Pixels low_share = y.parts();
    const float* from = channels.from;
    float* to = channels.to + column;
    for (int64_t channel = 0; channel < channels.count; ++channel) {
        const Neighbors above = neighbors(from, places);
        const Neighbors below = neighbors(from + channels.from_width, places);
        const Pixels high = above.left + right_share * (above.right - above.left);
        const Pixels low = below.left + right_share * (below.right - below.left);
        const Pixels made = high + low_share * (low - high);
        std::memcpy(to, &made, sizeof made);
        from += channels.from_plane;
        to += channels.to_plane;
    }
}

// Interpolates one column.
void interpolate_one(const Channels& channels, const FixedPoint& x, const FixedPoint& y,
                     int64_t column) {
    const float* pixel = channels.from + y.whole() * channels.from_width + x.whole();
    float* to = channels.to + column;
    const float right_share = x.part();
    const float low_share = y.part();
    for (int64_t channel = 0; channel < channels.count; ++channel) {
        const float* const below = pixel + channels.from_width;
        const float high = pixel[0] + right_share * (pixel[1] - pixel[0]);
        const float low = below[0] + right_share * (below[1] - below[0]);
        *to = high + low_share * (low - high);
        pixel += channels.from_plane;
        to += channels.to_plane;
    }
}

// Interpolates a range of columns. REQUIRES: all four pixels around each of the places exist.
void interpolate(const Channels& channels, FixedPoint x, FixedPoint y, ColumnRange columns) {
    const int64_t count = columns.end - columns.begin;
    if (count < kLanes || channels.from_plane > std::numeric_limits<int32_t>::max()) {
        for (int64_t column = columns.begin; column < columns.end; ++column) {
            interpolate_one(channels, x, y, column);
            x.advance(1);
            y.advance(1);
        }
        return;
    }
    FourPlaces four_x(x);
    FourPlaces four_y(y);
    for (int64_t i = 0; i + kLanes <= count; i += kLanes) {
        interpolate_four(channels, four_x, four_y, columns.begin + i);
        four_x.advance();
        four_y.advance();
    }
    if (count % kLanes != 0) {  // the last four, which overlap the ones before
        x.advance(count - kLanes);
        y.advance(count - kLanes);
        interpolate_four(channels, FourPlaces(x), FourPlaces(y), columns.end - kLanes);
    }
}

template <class Number>
void fill_row(const PlaneShape& shape, ColumnRange columns, Number fill, Number* to) {
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
        std::fill(to + columns.begin, to + columns.end, fill);
        to += shape.height * shape.width;
    }
}

// Returns whether a pixel of the image contributes to the place.
bool is_near(double x, double y, const PlaneShape& shape) {
    return x > -1 && y > -1 && x < static_cast<double>(shape.width) &&
           y < static_cast<double>(shape.height);
}

// The pixels around a place that are in the image.
struct Corners {
    bool has_left;
    bool has_right;
    bool has_top;
    bool has_bottom;
};

// Interpolates between the pixel, those to its right and below, or the fill value outside.
float pixel_between(const float* pixel, int64_t width, const Corners& corners, float right_share,
                    float low_share, float fill) {
    const float* const below = pixel + width;
    const float high_left = corners.has_top && corners.has_left ? pixel[0] : fill;
    const float high_right = corners.has_top && corners.has_right ? pixel[1] : fill;
    const float low_left = corners.has_bottom && corners.has_left ? below[0] : fill;
    const float low_right = corners.has_bottom && corners.has_right ? below[1] : fill;
    const float high = high_left + right_share * (high_right - high_left);
    const float low = low_left + right_share * (low_right - low_left);
    return high + low_share * (low - high);
}

// Interpolates like interpolate(), but any of the four pixels may be outside.
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
        const int64_t left = floor_of(x);
        const int64_t top = floor_of(y);
        const auto right_share = static_cast<float>(x - static_cast<double>(left));
        const auto low_share = static_cast<float>(y - static_cast<double>(top));
        const Corners corners{left >= 0, left + 1 < shape.width, top >= 0, top + 1 < shape.height};
        const float* image = from + (top * shape.width + left);
        for (int64_t channel = 0; channel < shape.channels; ++channel) {
            to[channel * plane + column] =
                pixel_between(image, shape.width, corners, right_share, low_share, fill);
            image += plane;
        }
    }
}

// Rounds to the nearest integer, ties to even. REQUIRES: the number is far below 2^51.
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

void move_large(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                float* to) {
    const auto width = static_cast<double>(shape.width);
    const auto height = static_cast<double>(shape.height);
    const int64_t plane = shape.height * shape.width;
    for (int64_t row = 0; row < shape.height; ++row, to += shape.width) {
        const RowPlaces places(map, shape, row);
        const Channels channels{shape.channels, from, shape.width, plane, to, plane};
        const ColumnRange near = places.columns(-1, width, height, 1);
        ColumnRange inner = places.columns(kMargin, width - 1 - kMargin, height - 1 - kMargin, -1);
        inner.begin = std::clamp(inner.begin, near.begin, near.end);
        inner.end = std::clamp(inner.end, inner.begin, near.end);
        if (inner.end - inner.begin < 2) {  // a step may then be longer than the image
            inner.end = inner.begin;
        }
        fill_row(shape, {0, near.begin}, fill, to);
        interpolate_border(from, shape, places, {near.begin, inner.begin}, fill, to);
        interpolate(channels, places.x_from(inner, 0), places.y_from(inner, 0), inner);
        interpolate_border(from, shape, places, {inner.end, near.end}, fill, to);
        fill_row(shape, {near.end, shape.width}, fill, to);
    }
}

// The image with a frame of the fill value.
class FramedImage {
public:
    static constexpr int64_t kFrame = 2;  // two pixels around a place, and one for rounding

    FramedImage(const float* from, const PlaneShape& shape, float fill)
        : width_(shape.width + 2 * kFrame), plane_((shape.height + 2 * kFrame) * width_) {
        pixels_ =
            std::make_unique_for_overwrite<float[]>(static_cast<size_t>(shape.channels * plane_));
        float* to = pixels_.get();
        for (int64_t channel = 0; channel < shape.channels; ++channel) {
            to = std::fill_n(to, kFrame * width_ + kFrame, fill);
            for (int64_t row = 0; row < shape.height; ++row) {
                to = std::copy_n(from, shape.width, to);
                to = std::fill_n(to, 2 * kFrame, fill);  // for this row and for the next one
                from += shape.width;
            }
            to = std::fill_n(to, kFrame * width_ - kFrame, fill);
        }
    }

    Channels channels(const PlaneShape& shape, float* to) const {
        return {shape.channels, pixels_.get(), width_, plane_, to, shape.height * shape.width};
    }

private:
    int64_t width_;
    int64_t plane_;
    std::unique_ptr<float[]> pixels_;
};

// Returns whether most pixels of the image are near the border; a frame then avoids border cases.
bool is_small(const PlaneShape& shape) {
    constexpr int64_t kMaxPixels = int64_t{96} * 96;
    return shape.height * shape.width <= kMaxPixels;
}

void move_small(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                float* to) {
    constexpr double kFrame = FramedImage::kFrame;
    const double right = static_cast<double>(shape.width) + kMargin;
    const double bottom = static_cast<double>(shape.height) + kMargin;
    const FramedImage framed(from, shape, fill);
    for (int64_t row = 0; row < shape.height; ++row, to += shape.width) {
        const RowPlaces places(map, shape, row);
        const ColumnRange near = places.columns(-1 - kMargin, right, bottom, 0);
        fill_row(shape, {0, near.begin}, fill, to);
        if (near.begin < near.end) {
            interpolate(framed.channels(shape, to), places.x_from(near, kFrame),
                        places.y_from(near, kFrame), near);
        }
        fill_row(shape, {near.end, shape.width}, fill, to);
    }
}

}  // namespace

void move_bilinear(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                   float* to) {
    if (is_small(shape)) {
        move_small(from, shape, map, fill, to);
    } else {
        move_large(from, shape, map, fill, to);
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
