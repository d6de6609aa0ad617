// Decodes TIFF files with libtiff.
#pragma once

#include "image_decoder.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace ptp::support {

// Reads the header of the first image. The file must stay open, and unused by others, until the
// decoder is destroyed.
std::unique_ptr<ImageDecoder> open_tiff(std::FILE* file, const std::filesystem::path& path);

}  // namespace ptp::support
