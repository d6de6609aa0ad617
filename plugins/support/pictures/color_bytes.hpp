// Converts interleaved bytes of three colors to numbers, one color after the other.
#pragma once

#include "resampling.hpp"

#include <array>
#include <cstdint>
#include <span>

// Computes the numbers of a color's bytes as a sum of floats that is rounded once: byte *
// coarse.scale + coarse.offset has so few digits that it is not rounded, and byte * fine.scale +
// fine.offset is the remainder.
struct ColorLine {
    struct Part {
        float scale = 0;
        float offset = 0;
    };
    Part coarse;
    Part fine;
    bool is_exact = false;  // true if the sum has the bits of all 256 numbers
};

ColorLine color_line(const ByteValues& values, double mean, double deviation);

struct Colors {
    std::span<const ByteValues, 3> values;
    std::span<const ColorLine, 3> lines;
};

// Writes a row of pixels, with `plane` numbers from one color to the next.
void write_color_row(std::span<const uint8_t> row, const Colors& colors, float* to, int64_t plane);
