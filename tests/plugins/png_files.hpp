// Pictures that components have written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace test {

struct PngPicture {
    int64_t height = 0;
    int64_t width = 0;
    std::vector<uint8_t> bytes;  // red, green and blue of each pixel, row by row

    [[nodiscard]] std::vector<int> at(int64_t y, int64_t x) const;
    // How many pixels have this color in [top, bottom) x [left, right), or in the whole lines.
    [[nodiscard]] int64_t count(int64_t top, int64_t bottom, int64_t left, int64_t right,
                                const std::vector<int>& color) const;
    [[nodiscard]] int64_t count(int64_t top, int64_t bottom, const std::vector<int>& color) const {
        return count(top, bottom, 0, width, color);
    }
};

// The test fails if it is not a PNG file.
PngPicture read_png(const std::filesystem::path& path);

}  // namespace test
