// Converts pixel by pixel, in integer arithmetic.

#include "pixels.hpp"

#include <cstring>
#include <limits>

namespace ptp::support {

namespace {

struct Color {
    uint64_t red;
    uint64_t green;
    uint64_t blue;
};

// Converts values of one or two bytes.
template <class Value>
class Converter {
public:
    explicit Converter(const Image& image) : channels_(image.channels) {}

    [[nodiscard]] Color color_of(const uint8_t* pixel) const {
        Color color = channels_ < 3 ? Color{value(pixel, 0), value(pixel, 0), value(pixel, 0)}
                                    : Color{value(pixel, 0), value(pixel, 1), value(pixel, 2)};
        if (channels_ == 2 || channels_ == 4) {
            const uint64_t opacity = value(pixel, channels_ - 1);
            color = {over_white(color.red, opacity), over_white(color.green, opacity),
                     over_white(color.blue, opacity)};
        }
        return color;
    }

    // Writes one value, and moves on.
    static void write(uint64_t value, uint8_t*& to) {
        const auto narrow = static_cast<Value>(value);
        std::memcpy(to, &narrow, sizeof narrow);
        to += sizeof narrow;
    }

private:
    static constexpr uint64_t kWhite = std::numeric_limits<Value>::max();

    static uint64_t value(const uint8_t* pixel, int64_t channel) {
        Value one = 0;
        std::memcpy(&one, pixel + channel * static_cast<int64_t>(sizeof one), sizeof one);
        return one;
    }
    static uint64_t over_white(uint64_t value, uint64_t opacity) {
        return (value * opacity + kWhite * (kWhite - opacity) + kWhite / 2) / kWhite;
    }

    int64_t channels_;
};

// Uses the weights of BT.601 times 2^16. Their sum is 2^16, so that gray does not change.
uint64_t grey(const Color& color) {
    return (19595 * color.red + 38470 * color.green + 7471 * color.blue + (1u << 15)) >> 16;
}

template <class Value>
std::vector<uint8_t> converted(const Image& image, int64_t channels) {
    const int64_t count = image.height * image.width;
    const Converter<Value> converter(image);
    std::vector<uint8_t> pixels(static_cast<size_t>(count * channels) * sizeof(Value));
    const uint8_t* from = image.pixels.data();
    uint8_t* to = pixels.data();
    for (int64_t i = 0; i < count; ++i, from += image.channels * image.value_bytes) {
        const Color color = converter.color_of(from);
        if (channels == 1) {
            converter.write(grey(color), to);
        } else {
            converter.write(color.red, to);
            converter.write(color.green, to);
            converter.write(color.blue, to);
        }
    }
    return pixels;
}

}  // namespace

void convert_channels(Image& image, int64_t channels) {
    if (image.channels == channels) {
        return;
    }
    image.pixels = image.value_bytes == 2 ? converted<uint16_t>(image, channels)
                                          : converted<uint8_t>(image, channels);
    image.channels = channels;
}

}  // namespace ptp::support
