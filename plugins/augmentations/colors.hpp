// Changes colors of one image, as defined by torchvision.transforms.functional.
#pragma once

#include <cstdint>
#include <span>

// A gray image, or its planes of red, green and blue, in [0, 1]; values beyond are clipped.
class Colors {
public:
    // REQUIRES: 1 or 3 planes of the same size.
    Colors(std::span<float> values, int64_t channels)
        : values_(values), is_grey_(channels == 1), pixels_(values.size() / (is_grey_ ? 1 : 3)) {}

    void brighten(float factor);             // 0 is black
    void contrast(float factor);             // 0 is the mean gray of the image
    void saturate(float factor);             // 0 is gray; gray images do not change
    void turn_hue(float share_of_a_circle);  // gray images do not change

private:
    [[nodiscard]] float grey(std::size_t pixel) const;

    std::span<float> values_;
    bool is_grey_;
    std::size_t pixels_;
};
