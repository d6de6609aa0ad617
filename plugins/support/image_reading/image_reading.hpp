// JPEG and PNG files as bytes of grey or colored pixels.
//
// What is on the screen is what is given: orientations stored as EXIF are applied, palettes and
// 16-bit values become 8-bit ones, transparent pixels are blended with white, and inks (CMYK)
// become red, green and blue. Colors become grey by ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B.
// Color profiles and gamma are not applied.
//
// A damaged file is refused, where a viewer would show what there is of it. All functions may be
// called by several threads at once; they throw ptp::DataError, which begins with the file's path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace ptp::support {

inline constexpr int64_t kMaxPixels = 100'000'000;
inline constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

// Row by row, each pixel as `channels` bytes next to each other.
struct Image {
    int64_t height = 0;
    int64_t width = 0;
    int64_t channels = 0;  // 1: grey; 3: red, green, blue
    std::vector<uint8_t> pixels;
};

struct ImageHead {
    int64_t height = 0;  // as read_image() returns it
    int64_t width = 0;

    bool operator==(const ImageHead&) const = default;
};

// With it read_reduced_image() does what read_image() does.
inline constexpr ImageHead kWholeImage{kMaxPixels, kMaxPixels};

// Takes the rows of an image from the first to the last, while they are in the processor's cache.
struct RowSink {
    ImageHead size;  // of the images whose rows it takes
    std::function<void(int64_t row, std::span<const uint8_t> pixels)> take;
};

// The content of the file's header. Does not find out that the rest is damaged.
ImageHead read_image_head(const std::filesystem::path& file);

// REQUIRES: `channels` is 1 or 3. `memory`, of an earlier image for example, is used again for the
// pixels.
Image read_image(const std::filesystem::path& file, int64_t channels,
                 std::vector<uint8_t> memory = {});

// The same, smaller if that takes less time, but not lower or narrower than `least`: a JPEG file at
// the smallest number of eighths of its size, by libjpeg-turbo's scaled decoding.
//
// `rows`, if there is one, gets the rows of an image of its size as they are decoded, where that is
// possible: of upright JPEG files without inks. The image has no pixels then. A file that turns out
// to be damaged is refused after some rows.
Image read_reduced_image(const std::filesystem::path& file, int64_t channels, ImageHead least,
                         std::vector<uint8_t> memory = {}, const RowSink* rows = nullptr);

// The size that read_reduced_image() returns the image in.
ImageHead read_reduced_head(const std::filesystem::path& file, ImageHead least);

}  // namespace ptp::support
