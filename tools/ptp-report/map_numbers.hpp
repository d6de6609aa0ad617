// The numbers behind the pictures of explanations, which write_npy() has written.
#pragma once

#include "base/json.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::report {

struct NumbersOfFile {
    std::vector<std::size_t> shape = {};
    std::vector<float> numbers = {};
};

// Returns the float32 numbers of a file of NumPy; nullopt for anything else.
std::optional<NumbersOfFile> read_npy(std::string_view bytes);

// A pixel is shown by this number of its channels.
enum class PixelValue { kSum, kMaxMagnitude };

// Returns for a map [C, H, W] the sums of pixels in a grid of at most 4 x 4 parts, as shares of the
// magnitude of all: `grid`, the first `rows` and `columns` of the parts and the ends, and the
// strongest pixel, `peak`. null for another shape, and for a map of nothing but 0.
Json grid_of(const NumbersOfFile& map, PixelValue shown);

}  // namespace ptp::report
