// PNG files, by libpng.
#pragma once

#include "image_decoder.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace ptp::support {

// Reads the header before the pixels. The file stays open, and as the decoder uses it, until the
// decoder is gone.
std::unique_ptr<ImageDecoder> open_png(std::FILE* file, const std::filesystem::path& path);

}  // namespace ptp::support
