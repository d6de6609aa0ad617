// Changes brightness, contrast, saturation and hue of one pixel after the other.

#include "colors.hpp"

#include <algorithm>
#include <cmath>

namespace {

float in_range(float value) {
    return std::clamp(value, 0.0F, 1.0F);
}

float blended(float one, float other, float share_of_one) {
    return in_range(share_of_one * one + (1.0F - share_of_one) * other);
}

struct Pixel {
    float red;
    float green;
    float blue;
};

// Returns the pixel with its hue turned, via hue in [0, 1), saturation and value.
Pixel turned(const Pixel& from, float turn) {
    const float value = std::max({from.red, from.green, from.blue});
    const float span = value - std::min({from.red, from.green, from.blue});
    if (span == 0.0F) {
        return from;
    }
    const float red = (value - from.red) / span;
    const float green = (value - from.green) / span;
    const float blue = (value - from.blue) / span;
    const float sixths = value == from.red     ? blue - green
                         : value == from.green ? 2.0F + red - blue
                                               : 4.0F + green - red;
    const float turned_hue = std::fmod(sixths / 6.0F + 1.0F, 1.0F) + turn;
    const float hue = 6.0F * (turned_hue - std::floor(turned_hue));
    const float sector = std::floor(hue);
    const float beyond = hue - sector;
    const float saturation = span / value;
    const float p = in_range(value * (1.0F - saturation));
    const float q = in_range(value * (1.0F - saturation * beyond));
    const float t = in_range(value * (1.0F - saturation * (1.0F - beyond)));
    switch (static_cast<int>(sector) % 6) {
        case 0:
            return {value, t, p};
        case 1:
            return {q, value, p};
        case 2:
            return {p, value, t};
        case 3:
            return {p, q, value};
        case 4:
            return {t, p, value};
        default:
            return {value, p, q};
    }
}

}  // namespace

// Uses the weights of ITU-R BT.601.
float Colors::grey(std::size_t pixel) const {
    if (is_grey_) {
        return values_[pixel];
    }
    return 0.2989F * values_[pixel] + 0.587F * values_[pixels_ + pixel] +
           0.114F * values_[2 * pixels_ + pixel];
}

void Colors::brighten(float factor) {
    for (float& value : values_) {
        value = in_range(factor * value);
    }
}

void Colors::contrast(float factor) {
    double sum = 0;
    for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
        sum += grey(pixel);
    }
    const auto mean = static_cast<float>(sum / static_cast<double>(pixels_));
    for (float& value : values_) {
        value = blended(value, mean, factor);
    }
}

void Colors::saturate(float factor) {
    if (is_grey_) {
        return;
    }
    for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
        const float own = grey(pixel);
        for (const std::size_t plane : {0U, 1U, 2U}) {
            float& value = values_[plane * pixels_ + pixel];
            value = blended(value, own, factor);
        }
    }
}

void Colors::turn_hue(float share_of_a_circle) {
    if (is_grey_) {
        return;
    }
    for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
        float& red = values_[pixel];
        float& green = values_[pixels_ + pixel];
        float& blue = values_[2 * pixels_ + pixel];
        const Pixel made = turned({red, green, blue}, share_of_a_circle);
        red = made.red;
        green = made.green;
        blue = made.blue;
    }
}
