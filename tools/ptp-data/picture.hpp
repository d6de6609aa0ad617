// Pictures of samples: values that are images or maps of classes, as colors.

#pragma once

#include "common/png.hpp"
#include "engine/data_request.hpp"

#include <optional>

namespace ptp::data {

using tools::Picture;

// The least and the largest number of values.
struct Range {
    float least = 0;
    float most = 1;
};

// Returns the value as a picture if it looks like an image of 1 or 3 channels, or, for integers, a
// map of classes: at least 8 x 8 pixels. Numbers are stretched between the least and the largest,
// of the value or of this range, if one of them is beyond [0, 1].
std::optional<Picture> picture_of(const engine::StreamFacts& stream,
                                  const engine::ShownValue& value,
                                  const std::optional<Range>& range = {});

// Returns the picture with at most this many pixels a side, each the mean of those that it covers.
Picture averaged(const Picture& picture, std::size_t side);

// Returns lines for a terminal, at most `width` columns: two pixels in a character with colors, or
// characters of growing darkness without.
std::string drawn(const Picture& picture, std::size_t width, bool has_color);

}  // namespace ptp::data
