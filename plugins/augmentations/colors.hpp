// Changes of the colors of one image, as torchvision.transforms.functional defines them.
#pragma once

#include <cstdint>
#include <span>

// Grey or red, green and blue, one plane after the other, in [0, 1]; what leaves that is cut off.
class Colors {
public:
    // REQUIRES: 1 or 3 planes of as many pixels.
    Colors(std::span<float> values, int64_t channels)
        : values_(values), is_grey_(channels == 1), pixels_(values.size() / (is_grey_ ? 1 : 3)) {}

    void brighten(float factor);             // 0 is black
    void contrast(float factor);             // 0 is the mean grey of the image
    void saturate(float factor);             // 0 is grey; grey images stay
    void turn_hue(float share_of_a_circle);  // grey images stay

private:
    [[nodiscard]] float grey(std::size_t pixel) const;

    std::span<float> values_;
    bool is_grey_;
    std::size_t pixels_;
};
