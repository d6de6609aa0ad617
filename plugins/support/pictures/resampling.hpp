// Bilinear resizing of gray images. The filter is widened when an image becomes smaller, so that
// all pixels contribute (the convention of Pillow).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

struct ImageSize {
    int64_t height = 0;
    int64_t width = 0;

    bool operator==(const ImageSize&) const = default;
};

// The number that each byte represents.
using ByteValues = std::array<float, 256>;

// One channel of an image in bytes; the steps are between the pixels of a row, and between rows.
struct BytePlane {
    const uint8_t* bytes = nullptr;
    int64_t pixel_step = 1;
    int64_t row_step = 0;
};

class Resampling {
public:
    Resampling(ImageSize from, ImageSize to);

    // Resizes the values of the bytes. REQUIRES: `from` and `to` have the given sizes. [any]
    void apply(const BytePlane& from, const ByteValues& values, float* to) const;
    // Resizes these numbers, which are row by row.
    void apply(const float* from, float* to) const;

private:
    // The weights for new rows or columns: each uses the same number of consecutive old ones, some
    // with the weight 0.
    struct Taps {
        Taps(int64_t from, int64_t to);

        int64_t count = 0;  // number of old ones for each new one
        std::vector<int64_t> first;
        std::vector<float> weights;
    };

    // Calls gather(row, count, columns) to collect up to four rows.
    template <class Gather>
    void resize(const Gather& gather, float* to) const;
    // `kCount` is that of the taps, or 0 for any.
    template <int kCount, class Gather>
    void resize_rows(const Gather& gather, float* narrow) const;
    template <int kCount>
    void resize_columns(const float* narrow, float* to) const;

    ImageSize from_;
    ImageSize to_;
    Taps rows_;
    Taps columns_;
};
