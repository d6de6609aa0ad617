// Images of a batch as PNG files (https://www.w3.org/TR/png).

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace ptp::engine {

struct Png {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::string bytes;
};

// Encodes [channels, height, width] with 1 or 3 channels. Bytes stay unchanged, reals range from 0
// to 1; an image with other reals is scaled from its minimum to its maximum.
Png png_of(const at::Tensor& image);

}  // namespace ptp::engine
