// The seam between reading an image and the formats.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ptp::support {

// How an image lies in its file.
struct StoredImage {
    int64_t height = 0;
    int64_t width = 0;
    int orientation = 1;  // of EXIF, 1 to 8
};

// Of one open file. Throws ptp::DataError.
class ImageDecoder {
public:
    virtual ~ImageDecoder() = default;
    [[nodiscard]] virtual StoredImage head() const = 0;

    // The image may be decoded at this size or a larger one, as it lies in the file: a hint for
    // formats that can do so in less time. decoded_size() is the size that it has then. Before
    // decode().
    virtual void reduce(int64_t /*height*/, int64_t /*width*/) {}
    [[nodiscard]] virtual StoredImage decoded_size() const { return head(); }

    // Writes the pixels row by row and returns how many bytes each has: 1 grey, 2 grey and opacity,
    // 3 colors, 4 colors and opacity. `wanted`, 1 or 3, is a hint for formats that can convert.
    // Called once.
    virtual int64_t decode(int64_t wanted, std::vector<uint8_t>& pixels) = 0;

    // In place of decode(): hands over each row, with `wanted` bytes for a pixel. Does nothing and
    // returns false where the format or this file does not allow it.
    using TakeRow = std::function<void(int64_t row, std::span<const uint8_t> pixels)>;
    virtual bool decode_rows(int64_t /*wanted*/, const TakeRow& /*take*/) { return false; }
};

}  // namespace ptp::support
