// Bilinear resizing of grey images, with the filter widened when an image becomes smaller, so that
// no pixel is left out (the convention of Pillow).
#pragma once

#include <cstdint>
#include <vector>

struct ImageSize {
    int64_t height = 0;
    int64_t width = 0;

    bool operator==(const ImageSize&) const = default;
};

class Resampling {
public:
    Resampling(ImageSize from, ImageSize to);

    // REQUIRES: `from` and `to` hold as many numbers as the sizes require. [any]
    void apply(const float* from, float* to) const;

private:
    // A new row or column: consecutive old ones with weights.
    struct Tap {
        int64_t first;
        std::vector<float> weights;
    };
    static std::vector<Tap> taps(int64_t from, int64_t to);

    ImageSize from_;
    ImageSize to_;
    std::vector<Tap> rows_;
    std::vector<Tap> columns_;
};
