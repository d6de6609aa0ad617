// Finds the orientation in an EXIF block, which is laid out as a TIFF file, and moves the pixels.

#include "orientation.hpp"

#include <algorithm>
#include <utility>

namespace ptp::support {

namespace {

// Reads numbers of a TIFF block, in the byte order that it states. Numbers outside of the block are
// 0.
class TiffBlock {
public:
    explicit TiffBlock(std::span<const uint8_t> bytes)
        : bytes_(bytes), is_little_endian_(byte(0) == 'I') {}

    bool is_valid() const {
        return (byte(0) == 'I' || byte(0) == 'M') && byte(1) == byte(0) && half(2) == 42;
    }
    uint32_t half(size_t at) const {
        return is_little_endian_ ? byte(at) | byte(at + 1) << 8 : byte(at) << 8 | byte(at + 1);
    }
    uint32_t word(size_t at) const {
        return is_little_endian_ ? half(at) | half(at + 2) << 16 : half(at) << 16 | half(at + 2);
    }

private:
    uint32_t byte(size_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }

    std::span<const uint8_t> bytes_;
    bool is_little_endian_;
};

// Returns the original position of pixel (row, column) of the turned image.
std::pair<int64_t, int64_t> origin(const Image& image, int orientation, int64_t row,
                                   int64_t column) {
    const int64_t bottom = image.height - 1;
    const int64_t right = image.width - 1;
    switch (orientation) {
        case 2:
            return {row, right - column};
        case 3:
            return {bottom - row, right - column};
        case 4:
            return {bottom - row, column};
        case 5:
            return {column, row};
        case 6:
            return {bottom - column, row};
        case 7:
            return {bottom - column, right - row};
        case 8:
            return {column, right - row};
        default:
            return {row, column};
    }
}

}  // namespace

int exif_orientation(std::span<const uint8_t> exif) {
    constexpr uint32_t kOrientation = 0x112;
    constexpr uint32_t kShort = 3;
    constexpr size_t kEntryBytes = 12;
    const TiffBlock block(exif);
    if (!block.is_valid()) {
        return 1;
    }
    const size_t directory = block.word(4);
    const size_t count = block.half(directory);
    for (size_t i = 0; i < count; ++i) {
        const size_t entry = directory + 2 + i * kEntryBytes;
        if (block.half(entry) == kOrientation && block.half(entry + 2) == kShort &&
            block.word(entry + 4) == 1) {
            const auto orientation = static_cast<int>(block.half(entry + 8));
            return orientation >= 1 && orientation <= 8 ? orientation : 1;
        }
    }
    return 1;
}

void apply_orientation(Image& image, int orientation) {
    if (orientation == 1) {
        return;
    }
    Image turned{image.height, image.width, image.channels, {}};
    if (swaps_axes(orientation)) {
        std::swap(turned.height, turned.width);
    }
    turned.value_bytes = image.value_bytes;
    turned.pixels.resize(image.pixels.size());
    const int64_t pixel_bytes = image.channels * image.value_bytes;
    auto to = turned.pixels.begin();
    for (int64_t row = 0; row < turned.height; ++row) {
        for (int64_t column = 0; column < turned.width; ++column) {
            const auto [from_row, from_column] = origin(image, orientation, row, column);
            const auto from =
                image.pixels.begin() + (from_row * image.width + from_column) * pixel_bytes;
            to = std::copy_n(from, pixel_bytes, to);
        }
    }
    image = std::move(turned);
}

}  // namespace ptp::support
