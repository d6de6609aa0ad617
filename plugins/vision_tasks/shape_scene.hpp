// The pictures of the task Shapes. All positions are integers, so that every machine draws the same
// pixels.
#pragma once

#include <ptp/random.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

enum class ShapeKind { kCircle, kSquare, kTriangle, kCross };
inline constexpr std::array<std::string_view, 4> kShapeNames{"circle", "square", "triangle",
                                                             "cross"};
inline constexpr std::array<std::string_view, 14> kCaptionWords{
    "large", "small",  "circle", "square", "triangle", "cross", "at",
    "top",   "middle", "bottom", "left",   "center",   "right", "and"};

struct Shape {
    ShapeKind kind = ShapeKind::kCircle;
    int64_t row = 0;  // of its center
    int64_t column = 0;
    int64_t radius = 0;         // half the side of the smallest enclosing square
    int64_t quarter_turns = 0;  // direction of a triangle: up, left, down, right
    std::array<float, 3> color{};

    // Returns whether the shape covers the pixel at this offset from the center.
    [[nodiscard]] bool covers(int64_t rows, int64_t columns) const;
    [[nodiscard]] int64_t area() const;  // in pixels
};

struct ShapeScene {
    int64_t image_size = 0;
    float background = 0;
    std::vector<Shape> shapes;  // without overlaps

    // Writes red, green and blue planes, without noise.
    void draw(float* pixels) const;
    // Writes for each pixel 0, or 1 plus the kind of the shape there; and 0, or 1 plus its index in
    // `shapes`.
    void draw_segments(int64_t* kinds, int64_t* instances) const;
    // Returns the shapes by the ninths of the image that their centers are in, row by row: "large
    // circle at top left and small cross at middle center". Those of a diameter of more than 3 / 16
    // of the image are large.
    [[nodiscard]] std::string caption() const;
};

struct ShapeCounts {
    int64_t least = 1;
    int64_t most = 1;
};

ShapeScene random_shapes(int64_t image_size, const ShapeCounts& counts, ptp::Random& random);
