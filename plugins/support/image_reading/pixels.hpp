// Converts pixels between gray and color, and blends transparent ones with white.
#pragma once

#include "image_reading.hpp"

namespace ptp::support {

// Converts 1 (gray), 2 (gray, opacity), 3 (colors) or 4 (colors, opacity) channels to 1 or 3.
// Transparent pixels are blended with white.
void convert_channels(Image& image, int64_t channels);

}  // namespace ptp::support
