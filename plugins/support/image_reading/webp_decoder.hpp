// Decodes WebP files with libwebp.
#pragma once

#include "image_decoder.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace ptp::support {

// Reads the whole file. Refuses animations.
std::unique_ptr<ImageDecoder> open_webp(std::FILE* file, const std::filesystem::path& path);

}  // namespace ptp::support
