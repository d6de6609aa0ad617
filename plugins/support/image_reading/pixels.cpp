// Converts pixel by pixel, in integer arithmetic.

#include "pixels.hpp"

#include <utility>

namespace ptp::support {

namespace {

struct Color {
    uint32_t red;
    uint32_t green;
    uint32_t blue;
};

uint32_t over_white(uint32_t value, uint32_t opacity) {
    return (value * opacity + 255 * (255 - opacity) + 127) / 255;
}

Color read_color(const uint8_t* pixel, int64_t channels) {
    Color color =
        channels < 3 ? Color{pixel[0], pixel[0], pixel[0]} : Color{pixel[0], pixel[1], pixel[2]};
    if (channels == 2 || channels == 4) {
        const uint32_t opacity = pixel[channels - 1];
        color = {over_white(color.red, opacity), over_white(color.green, opacity),
                 over_white(color.blue, opacity)};
    }
    return color;
}

// Uses the weights of BT.601 times 2^16. Their sum is 2^16, so that gray does not change.
uint8_t grey(const Color& color) {
    return static_cast<uint8_t>(
        (19595 * color.red + 38470 * color.green + 7471 * color.blue + (1u << 15)) >> 16);
}

}  // namespace

void convert_channels(Image& image, int64_t channels) {
    if (image.channels == channels) {
        return;
    }
    const int64_t count = image.height * image.width;
    std::vector<uint8_t> pixels(static_cast<size_t>(count * channels));
    const uint8_t* from = image.pixels.data();
    uint8_t* to = pixels.data();
    for (int64_t i = 0; i < count; ++i, from += image.channels, to += channels) {
        const Color color = read_color(from, image.channels);
        if (channels == 1) {
            *to = grey(color);
        } else {
            to[0] = static_cast<uint8_t>(color.red);
            to[1] = static_cast<uint8_t>(color.green);
            to[2] = static_cast<uint8_t>(color.blue);
        }
    }
    image.channels = channels;
    image.pixels = std::move(pixels);
}

}  // namespace ptp::support
