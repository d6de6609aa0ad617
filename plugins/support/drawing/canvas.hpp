// A colored picture on which images and short texts are drawn.
#pragma once

#include "font.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ptp::support {

struct Color {
    uint8_t red = 0;
    uint8_t green = 0;
    uint8_t blue = 0;
};

struct Spot {
    int64_t top = 0;
    int64_t left = 0;
};

class Canvas {
public:
    // Makes a white picture.
    Canvas(int64_t height, int64_t width);

    // Draws an image of bytes [3, height, width], each pixel as a square of `scale` pixels.
    // REQUIRES: it is inside the picture.
    void put_image(const at::Tensor& image, Spot at, int64_t scale);

    // Draws a rectangle of one color. REQUIRES: it is inside the picture.
    void put_box(Spot at, int64_t height, int64_t width, Color color);

    // Draws as much of the text as fits in `width` pixels; a shortened text ends with two dots.
    void put_text(std::string_view text, Spot at, int64_t width, Color color);

    [[nodiscard]] int64_t height() const { return height_; }
    [[nodiscard]] int64_t width() const { return width_; }
    [[nodiscard]] std::span<const uint8_t> bytes() const { return pixels_; }

private:
    void put(int64_t y, int64_t x, Color color);
    void put_glyph(const Glyph& glyph, Spot at, Color color);

    int64_t height_;
    int64_t width_;
    std::vector<uint8_t> pixels_;
};

// Returns bytes [3, height, width] for an image of 1 or 3 channels. Reals are from 0 to 1; an image
// with others is scaled from its smallest to its largest. Values that are not finite count as 0, or
// as the smallest or largest of the others.
at::Tensor colored_bytes(const at::Tensor& image);

}  // namespace ptp::support
