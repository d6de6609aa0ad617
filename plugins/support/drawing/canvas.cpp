// Draws pixel by pixel into rows of red, green and blue bytes, and converts tensors to such bytes.

#include "canvas.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace ptp::support {

namespace {

at::Tensor finite(const at::Tensor& pixels) {
    const at::Tensor known = pixels.masked_select(pixels.isfinite());
    if (known.numel() == 0) {
        return at::zeros_like(pixels);
    }
    return pixels.nan_to_num(0, known.max().item<double>(), known.min().item<double>());
}

}  // namespace

Canvas::Canvas(int64_t height, int64_t width)
    : height_(height), width_(width), pixels_(static_cast<std::size_t>(height * width * 3), 255) {}

void Canvas::put(int64_t y, int64_t x, Color color) {
    uint8_t* pixel = pixels_.data() + (y * width_ + x) * 3;
    pixel[0] = color.red;
    pixel[1] = color.green;
    pixel[2] = color.blue;
}

void Canvas::put_image(const at::Tensor& image, Spot at, int64_t scale) {
    const auto pixels = image.accessor<uint8_t, 3>();
    for (int64_t y = 0; y < image.size(1) * scale; ++y) {
        for (int64_t x = 0; x < image.size(2) * scale; ++x) {
            const int64_t row = y / scale;
            const int64_t column = x / scale;
            put(at.top + y, at.left + x,
                {pixels[0][row][column], pixels[1][row][column], pixels[2][row][column]});
        }
    }
}

void Canvas::put_box(Spot at, int64_t height, int64_t width, Color color) {
    for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) {
            put(at.top + y, at.left + x, color);
        }
    }
}

void Canvas::put_glyph(const Glyph& glyph, Spot at, Color color) {
    for (int64_t x = 0; x < kGlyphWidth; ++x) {
        for (int64_t y = 0; y < kGlyphHeight; ++y) {
            if ((glyph[static_cast<std::size_t>(x)] >> static_cast<unsigned>(y) & 1U) != 0) {
                put(at.top + y, at.left + x, color);
            }
        }
    }
}

void Canvas::put_text(std::string_view text, Spot at, int64_t width, Color color) {
    const int64_t most = width / kGlyphAdvance;
    const bool is_cut = glyph_count(text) > most;
    std::string_view dots = "..";
    for (int64_t i = 0; i < most && !text.empty(); ++i) {
        const Glyph glyph = next_glyph(is_cut && i >= most - 2 ? dots : text);
        put_glyph(glyph, {at.top, at.left + i * kGlyphAdvance}, color);
        if (dots.empty()) {
            return;
        }
    }
}

at::Tensor colored_bytes(const at::Tensor& image) {
    constexpr double kMinSpan = 1e-30;  // an image of a single value is black
    at::Tensor pixels = image.detach().to(at::kCPU);
    if (pixels.scalar_type() != at::kByte) {
        pixels = finite(pixels.to(at::kDouble));
        const double smallest = pixels.min().item<double>();
        const double largest = pixels.max().item<double>();
        if (smallest < 0 || largest > 1) {
            pixels = pixels.sub(smallest).div(std::max(largest - smallest, kMinSpan));
        }
        pixels = pixels.mul(255).round().to(at::kByte);
    }
    return pixels.expand({3, pixels.size(1), pixels.size(2)});
}

}  // namespace ptp::support
