// The orientation of a photograph, which cameras store in the EXIF data of its file.
#pragma once

#include "image_reading.hpp"

#include <cstdint>
#include <span>

namespace ptp::support {

// Returns the tag Orientation (EXIF 2.3, 4.6.4) of an EXIF block that begins with its TIFF header;
// 1, unchanged, if there is no valid one.
int exif_orientation(std::span<const uint8_t> exif);

// Returns whether height and width are swapped.
constexpr bool swaps_axes(int orientation) {
    return orientation >= 5;
}

// Turns the image according to the tag.
void apply_orientation(Image& image, int orientation);

}  // namespace ptp::support
