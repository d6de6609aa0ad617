#include "color_bytes.hpp"

#include <algorithm>
#include <cstring>

namespace {

#if defined(__x86_64__)
constexpr int64_t kPixels = 4;  // at a time
using PixelBytes = uint8_t __attribute__((vector_size(16)));
using PixelIntegers = int32_t __attribute__((vector_size(kPixels * sizeof(int32_t))));
using PixelDoubles = double __attribute__((vector_size(kPixels * sizeof(double))));
using PixelFloats = float __attribute__((vector_size(kPixels * sizeof(float))));

// Returns how many pixels are done: the bytes after them are read, too, and must be the row's.
[[gnu::target("avx2")]] int64_t write_pixels_avx2(std::span<const uint8_t> row,
                                                  std::span<const ColorLine, 3> lines, float* to,
                                                  int64_t plane) {
    constexpr PixelBytes kFirstColor = {0, 0, 0, 0, 3, 3, 3, 3, 6, 6, 6, 6, 9, 9, 9, 9};
    const auto size = static_cast<int64_t>(row.size());
    int64_t pixel = 0;
    for (; 3 * pixel + static_cast<int64_t>(sizeof(PixelBytes)) <= size; pixel += kPixels) {
        PixelBytes bytes;
        std::memcpy(&bytes, row.data() + 3 * pixel, sizeof bytes);
#pragma GCC unroll 3
        for (int color = 0; color < 3; ++color) {
            const ColorLine& line = lines[static_cast<size_t>(color)];
            const PixelBytes places = kFirstColor + static_cast<uint8_t>(color);
            const PixelBytes four_times = __builtin_shuffle(bytes, places);
            const PixelIntegers integers = reinterpret_cast<PixelIntegers>(four_times) & 0xff;
            const PixelDoubles numbers =
                __builtin_convertvector(integers, PixelDoubles) * line.scale + line.offset;
            const PixelFloats rounded = __builtin_convertvector(numbers, PixelFloats);
            std::memcpy(to + color * plane + pixel, &rounded, sizeof rounded);
        }
    }
    return pixel;
}
#endif

int64_t write_pixels(std::span<const uint8_t> row, std::span<const ColorLine, 3> lines, float* to,
                     int64_t plane) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0 && std::ranges::all_of(lines, &ColorLine::is_exact)) {
        return write_pixels_avx2(row, lines, to, plane);
    }
#endif
    return 0;
}

}  // namespace

ColorLine color_line(const ByteValues& values, double mean, double deviation) {
    ColorLine line{1 / (255 * deviation), -mean / deviation, true};
    for (size_t byte = 0; byte < values.size(); ++byte) {
        const auto number =
            static_cast<float>(static_cast<double>(byte) * line.scale + line.offset);
        line.is_exact = line.is_exact && number == values[byte];
    }
    return line;
}

void write_color_row(std::span<const uint8_t> row, const Colors& colors, float* to, int64_t plane) {
    const auto width = static_cast<int64_t>(row.size() / 3);
    for (int64_t i = write_pixels(row, colors.lines, to, plane); i < width; ++i) {
        const uint8_t* byte = row.data() + 3 * i;
        to[i] = colors.values[0][byte[0]];
        to[plane + i] = colors.values[1][byte[1]];
        to[2 * plane + i] = colors.values[2][byte[2]];
    }
}
