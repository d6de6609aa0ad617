// Images into PNG files, by libpng.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace ptp::support {

// Row by row, each pixel as `channels` bytes: 1 grey, 3 red, green and blue.
struct PixelsToWrite {
    int64_t height = 0;
    int64_t width = 0;
    int64_t channels = 0;
    std::span<const uint8_t> bytes;
};

// Writes the file under another name first and then renames it, so that no reader sees half an
// image; one that exists is replaced. Folders that are missing are made. [any] Throws
// std::runtime_error with the file's name and the system's words.
void write_png(const std::filesystem::path& path, const PixelsToWrite& pixels);

}  // namespace ptp::support
