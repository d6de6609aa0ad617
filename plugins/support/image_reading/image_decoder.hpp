// The interface that the decoders of the formats implement, for image_reading.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ptp::support {

// The layout of an image in its file.
struct StoredImage {
    int64_t height = 0;
    int64_t width = 0;
    int orientation = 1;  // EXIF's, 1 to 8
};

// Decodes one open file. Throws ptp::DataError.
class ImageDecoder {
public:
    virtual ~ImageDecoder() = default;
    [[nodiscard]] virtual StoredImage head() const = 0;

    // Allows decoding at this size or a larger one, in the orientation of the file: a hint for
    // formats that can do so faster. decoded_size() is the resulting size. Call it before decode().
    virtual void reduce(int64_t /*height*/, int64_t /*width*/) {}
    [[nodiscard]] virtual StoredImage decoded_size() const { return head(); }

    // Writes the pixels row by row and returns the number of bytes of each: 1 gray, 2 gray and
    // opacity, 3 colors, 4 colors and opacity. `wanted`, 1 or 3, is a hint for formats that can
    // convert. Call it once.
    virtual int64_t decode(int64_t wanted, std::vector<uint8_t>& pixels) = 0;

    // Replaces decode() for a file with 16 bits per channel: writes values of two bytes in the
    // processor's order, and returns the number of channels, as decode() does. Does nothing and
    // returns 0 for another file.
    virtual int64_t decode_words(std::vector<uint8_t>& /*pixels*/) { return 0; }

    // Replaces decode(): passes each row, with `wanted` bytes per pixel. Does nothing and returns
    // false if the format or this file does not support it.
    using TakeRow = std::function<void(int64_t row, std::span<const uint8_t> pixels)>;
    virtual bool decode_rows(int64_t /*wanted*/, const TakeRow& /*take*/) { return false; }

    // Replaces decode(): writes the numbers that the file stores, which are the indices of a
    // palette's colors or gray levels, and returns the bytes of each: 1, or 2 in the processor's
    // order. Does nothing and returns 0 if the file stores something else.
    virtual int64_t decode_numbers(std::vector<uint8_t>& /*pixels*/) { return 0; }
};

}  // namespace ptp::support
