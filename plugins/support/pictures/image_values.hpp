// Converts the values of an image to the numbers of a tensor: normalized, cropped, resized.
#pragma once

#include "color_bytes.hpp"
#include "resampling.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// The layout of the bytes of an image; `bytes` is the first channel of the top left pixel. The
// steps are in bytes.
struct ByteImage {
    const uint8_t* bytes = nullptr;
    ImageSize size;
    int64_t pixel_step = 1;  // between neighboring pixels of a row
    int64_t row_step = 0;
    int64_t channel_step = 0;
    int64_t value_bytes = 1;  // of each value; 2 are in the processor's order

    // Row by row, with interleaved channels.
    static ByteImage interleaved(const uint8_t* bytes, ImageSize size, int64_t channels,
                                 int64_t value_bytes = 1) {
        const int64_t step = channels * value_bytes;
        return {bytes, size, step, size.width * step, value_bytes, value_bytes};
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
        std::optional<ImageSize> shown = std::nullopt;  // nullopt: unchanged
        // Crops the center of the image, in the shape of `shown`, instead of distorting it.
        bool is_cut = false;
    };

    // REQUIRES: `mean` and `std` have valid lengths.
    explicit ImageValues(Options options);

    // Prepares for images of this size.
    void expect(ImageSize size);

    [[nodiscard]] ImageSize shown(ImageSize stored) const {
        return options_.shown.value_or(stored);
    }

    // Writes the channels one after the other: (byte / 255 - mean) / std, of 16 bits (value / 65535
    // - mean) / std, then resized. [any]
    void write(const ByteImage& image, float* to) const;

    // Writes one row of an image that already has the final size: `row` has interleaved channels.
    // REQUIRES: 1 or 3 channels. [any]
    void write_row(std::span<const uint8_t> row, int64_t number, ImageSize size, float* to) const;

private:
    [[nodiscard]] ByteImage cut(ByteImage image) const;
    [[nodiscard]] double mean(int64_t channel) const { return number(options_.mean, channel); }
    [[nodiscard]] double deviation(int64_t channel) const { return number(options_.std, channel); }
    static double number(const std::vector<double>& numbers, int64_t channel) {
        return numbers.size() == 1 ? numbers[0] : numbers.at(static_cast<size_t>(channel));
    }

    // Writes an image with values of 16 bits.
    void write_words(ByteImage image, const Resampling* resampling, float* to) const;

    Options options_;
    std::vector<ByteValues> values_;  // by channel
    std::vector<ColorLine> lines_;    // by channel
    ImageSize expected_;              // size for `resampling_`, after cropping
    std::optional<Resampling> resampling_;
};
