// From the bytes of an image to the numbers of a tensor: normalized, cut, resized.
#pragma once

#include "color_bytes.hpp"
#include "resampling.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Where the bytes of an image lie; `bytes` is the first channel of the pixel at the top left.
struct ByteImage {
    const uint8_t* bytes = nullptr;
    ImageSize size;
    int64_t pixel_step = 1;  // from one pixel to the next of its row
    int64_t row_step = 0;
    int64_t channel_step = 0;

    // Row by row, the channels of a pixel next to each other.
    static ByteImage interleaved(const uint8_t* bytes, ImageSize size, int64_t channels) {
        return {bytes, size, channels, size.width * channels, 1};
    }
    // Channel by channel, each row by row.
    static ByteImage planar(const uint8_t* bytes, ImageSize size) {
        return {bytes, size, 1, size.width, size.height * size.width};
    }
};

class ImageValues {
public:
    struct Options {
        int64_t channels = 1;
        std::vector<double> mean{0};  // one for all channels, or one for each
        std::vector<double> std{1};
        std::optional<ImageSize> shown = std::nullopt;  // nothing: as the image is
        // Cuts the middle of the image, of the shape of `shown`, instead of distorting it.
        bool is_cut = false;
    };

    // REQUIRES: as many numbers in `mean` and `std` as they may have.
    explicit ImageValues(Options options);

    // Images of this size will come: what there is to prepare for them is prepared once.
    void expect(ImageSize size);

    [[nodiscard]] ImageSize shown(ImageSize stored) const {
        return options_.shown.value_or(stored);
    }

    // Writes the channels one after the other: (byte / 255 - mean) / std, then resized. [any]
    void write(const ByteImage& image, float* to) const;

    // The same, row by row, for an image of the size in which it is shown: `row` has the channels
    // of a pixel next to each other. REQUIRES: 1 or 3 channels. [any]
    void write_row(std::span<const uint8_t> row, int64_t number, ImageSize size, float* to) const;

private:
    [[nodiscard]] ByteImage cut(ByteImage image) const;

    Options options_;
    std::vector<ByteValues> values_;  // by channel
    std::vector<ColorLine> lines_;    // likewise
    ImageSize expected_;              // what `resampling_` is for, after cutting
    std::optional<Resampling> resampling_;
};
