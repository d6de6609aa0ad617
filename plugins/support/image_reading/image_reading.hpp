// Reads JPEG, PNG, TIFF and WebP files as gray or colored pixels.
//
// Images are returned as displayed: EXIF orientations are applied, palettes are looked up,
// transparent pixels are blended with white, and inks (CMYK) become red, green
// and blue. Colors become gray by ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B. Color profiles and
// gamma are not applied.
//
// A damaged file is rejected, although a viewer would show a part of it. All functions may be
// called by several threads at once; they throw ptp::DataError, which begins with the file's path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ptp::support {

inline constexpr int64_t kMaxPixels = 100'000'000;
inline constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

// Pixels row by row, each with `channels` consecutive values.
struct Image {
    int64_t height = 0;
    int64_t width = 0;
    int64_t channels = 0;  // 1: gray; 3: red, green, blue
    std::vector<uint8_t> pixels;
    int64_t value_bytes = 1;  // of each value; 2 are in the processor's order
};

struct ImageHead {
    int64_t height = 0;  // as read_image() returns it
    int64_t width = 0;

    bool operator==(const ImageHead&) const = default;
};

// With this size read_reduced_image() is equivalent to read_image().
inline constexpr ImageHead kWholeImage{kMaxPixels, kMaxPixels};

// Receives the rows of an image from the first to the last, while they are in the processor's
// cache.
struct RowSink {
    ImageHead size;  // of the images whose rows are accepted
    std::function<void(int64_t row, std::span<const uint8_t> pixels)> take;
};

// Returns the size of the image, from the file's header; damage after the header is not detected.
ImageHead read_image_head(const std::filesystem::path& file);

// Returns the pixels, values of 16 bits as bytes. REQUIRES: `channels` is 1 or 3. `memory`, of an
// earlier image for example, is reused for the pixels.
Image read_image(const std::filesystem::path& file, int64_t channels,
                 std::vector<uint8_t> memory = {});

// Returns the numbers that a PNG or TIFF file stores, one per pixel: the indices of a palette's
// colors, or gray levels as they are. Each has `channels` bytes: 1, or for 16 bits 2 in the
// processor's order. Refuses colors and opacity.
Image read_numbers(const std::filesystem::path& file);

// Returns the pixels of a JPEG, PNG or WebP file in memory, of 16 bits where it has these; `place`
// begins the errors about it.
Image read_image_bytes(std::string& bytes, const std::string& place, int64_t channels);

// Returns the image, reduced if that is faster, but not lower or narrower than `least`: a JPEG file
// at the smallest number of eighths of its size, by libjpeg-turbo's scaled decoding. Values of 16
// bits stay as they are.
//
// `rows` (optional) receives the rows of an image of its size during decoding, if possible: for
// upright JPEG files without inks. The image then has no pixels. A damaged file may be rejected
// after some rows.
Image read_reduced_image(const std::filesystem::path& file, int64_t channels, ImageHead least,
                         std::vector<uint8_t> memory = {}, const RowSink* rows = nullptr);

// Returns the size of the image that read_reduced_image() returns.
ImageHead read_reduced_head(const std::filesystem::path& file, ImageHead least);

}  // namespace ptp::support
