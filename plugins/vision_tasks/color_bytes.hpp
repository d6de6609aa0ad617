// Bytes of three colors next to each other as numbers, one color after the other.
#pragma once

#include "resampling.hpp"

#include <array>
#include <cstdint>
#include <span>

// The numbers of a color's bytes as byte * scale + offset.
struct ColorLine {
    double scale = 0;
    double offset = 0;
    bool is_exact = false;  // whether that has the bits of all 256 numbers
};

ColorLine color_line(const ByteValues& values, double mean, double deviation);

struct Colors {
    std::span<const ByteValues, 3> values;
    std::span<const ColorLine, 3> lines;
};

// Writes a row of pixels, `plane` numbers from one color to the next.
void write_color_row(std::span<const uint8_t> row, const Colors& colors, float* to, int64_t plane);
