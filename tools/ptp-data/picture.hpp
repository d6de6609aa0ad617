// Pictures of samples: values that are images or maps of classes, as colors.

#pragma once

#include "engine/data_request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::data {

struct Picture {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<std::uint8_t> pixels = {};  // red, green, blue
};

// Returns the value as a picture if it looks like an image of 1 or 3 channels, or, for integers, a
// map of classes: at least 8 x 8 pixels. Numbers beyond [0, 1] are stretched between the least and
// the largest.
std::optional<Picture> picture_of(const engine::StreamFacts& stream,
                                  const engine::ShownValue& value);

// Returns lines for a terminal, at most `width` columns: two pixels in a character with colors, or
// characters of growing darkness without.
std::string drawn(const Picture& picture, std::size_t width, bool has_color);

// Returns the picture as a PNG file.
std::string png_of(const Picture& picture);

}  // namespace ptp::data
