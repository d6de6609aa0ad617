// Grey images as PNG files.
#pragma once

#include <doctest/doctest.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ptp::test {

// Writes a square image.
inline void write_grey_png(const std::filesystem::path& file, int side,
                           const std::vector<std::uint8_t>& pixels) {
    std::filesystem::create_directories(file.parent_path());
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = static_cast<png_uint_32>(side);
    image.format = PNG_FORMAT_GRAY;
    REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), 0, nullptr) != 0);
}

// Writes 4 x 4 pixels, nearly alike.
inline void write_grey(const std::filesystem::path& file, int value) {
    std::vector<std::uint8_t> pixels(16);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::uint8_t>(value + static_cast<int>(i % 3));
    }
    write_grey_png(file, 4, pixels);
}

}  // namespace ptp::test
