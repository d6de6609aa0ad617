// Pictures as PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::tools {

struct Picture {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<std::uint8_t> pixels = {};  // red, green, blue
};

// Returns the picture as a PNG file.
std::string png_of(const Picture& picture);

}  // namespace ptp::tools
