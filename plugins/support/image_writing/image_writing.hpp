// Writes images to PNG files with libpng.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace ptp::support {

// Pixels row by row, each with `channels` bytes: 1 gray, 3 red, green and blue.
struct PixelsToWrite {
    int64_t height = 0;
    int64_t width = 0;
    int64_t channels = 0;
    std::span<const uint8_t> bytes;
};

// Writes an image below a folder, as write_file() of result_files.hpp does. [any]
void write_png(const std::filesystem::path& folder, const std::filesystem::path& name,
               const PixelsToWrite& pixels);

}  // namespace ptp::support
