// Other channels for the same pixels.
#pragma once

#include "image_reading.hpp"

namespace ptp::support {

// From 1 (grey), 2 (grey, opacity), 3 (colors) or 4 (colors, opacity) channels to 1 or 3. What is
// not opaque is blended with white.
void convert_channels(Image& image, int64_t channels);

}  // namespace ptp::support
