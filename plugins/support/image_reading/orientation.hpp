// Which side of a photograph is up, as cameras write it.
#pragma once

#include "image_reading.hpp"

#include <cstdint>
#include <span>

namespace ptp::support {

// The tag Orientation (EXIF 2.3, 4.6.4) of an EXIF block that begins with its TIFF head; 1, as it
// is, if it has none that makes sense.
int exif_orientation(std::span<const uint8_t> exif);

// Height and width change places.
constexpr bool swaps_axes(int orientation) {
    return orientation >= 5;
}

// Turns the image as the tag specifies.
void apply_orientation(Image& image, int orientation);

}  // namespace ptp::support
