// Small JPEG and PNG files of every kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace test {

// Rows of bytes as the format has them: of PNG files with less than 8 bits the pixels are packed.
struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> rows = {};
    std::vector<uint8_t> exif = {};  // a TIFF block; none if empty
};

struct PngKind {
    int color_type = 0;  // PNG_COLOR_TYPE_GRAY
    int bit_depth = 8;
    bool is_interlaced = false;
    std::vector<uint8_t> palette = {};  // red, green, blue of each color
    std::vector<uint8_t> opacity = {};  // of the first colors
};

void write_png(const std::filesystem::path& file, const Picture& picture, const PngKind& kind = {});

struct JpegKind {
    int channels = 1;  // 1 grey, 3 colors, 4 inks
    bool is_progressive = false;
    bool has_adobe_marker = true;  // of inks
};

// At the best quality, with the colors in full resolution.
void write_jpeg(const std::filesystem::path& file, const Picture& picture,
                const JpegKind& kind = {});

// A TIFF block that says the orientation, with the less significant bytes first, or last.
std::vector<uint8_t> exif(uint8_t orientation, bool is_little_endian = true);

}  // namespace test
