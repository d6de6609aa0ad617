// Converts eight pixels at a time where the processor has AVX2; a plain loop does the rest.

#include "color_bytes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace {

#if defined(__x86_64__)
constexpr int64_t kPixels = 8;  // at a time

struct PixelLine {
    __m256 coarse_scale;
    __m256 coarse_offset;
    __m256 fine_scale;
    __m256 fine_offset;
};

[[gnu::target("avx2,fma")]] PixelLine pixel_line(const ColorLine& line) {
    return {_mm256_set1_ps(line.coarse.scale), _mm256_set1_ps(line.coarse.offset),
            _mm256_set1_ps(line.fine.scale), _mm256_set1_ps(line.fine.offset)};
}

[[gnu::target("avx2,fma")]] __m256i load_pixels(const uint8_t* bytes) {
    const auto load = [](const uint8_t* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    };
    return _mm256_set_m128i(load(bytes + 3 * kPixels / 2), load(bytes));
}

// Returns the bytes of one color, each as a 32-bit integer.
template <int kColor>
[[gnu::target("avx2,fma")]] __m256i color_of(__m256i pixels) {
    const __m128i places = _mm_setr_epi8(kColor, -1, -1, -1, kColor + 3, -1, -1, -1, kColor + 6, -1,
                                         -1, -1, kColor + 9, -1, -1, -1);
    return _mm256_shuffle_epi8(pixels, _mm256_set_m128i(places, places));
}

[[gnu::target("avx2,fma")]] void write_color(__m256i bytes, const PixelLine& line, float* to) {
    const __m256 numbers = _mm256_cvtepi32_ps(bytes);
    const __m256 coarse = _mm256_fmadd_ps(numbers, line.coarse_scale, line.coarse_offset);
    const __m256 fine = _mm256_fmadd_ps(numbers, line.fine_scale, line.fine_offset);
    _mm256_storeu_ps(to, _mm256_add_ps(coarse, fine));
}

// Returns how many pixels are done: the bytes after them are read as well, and must belong to the
// row.
[[gnu::target("avx2,fma")]] int64_t write_pixels_avx2(std::span<const uint8_t> row,
                                                      std::span<const ColorLine, 3> lines,
                                                      float* to, int64_t plane) {
    constexpr int64_t kBytesRead = 3 * kPixels / 2 + int64_t{sizeof(__m128i)};
    const PixelLine first = pixel_line(lines[0]);
    const PixelLine second = pixel_line(lines[1]);
    const PixelLine third = pixel_line(lines[2]);
    int64_t pixel = 0;
    for (; 3 * pixel + kBytesRead <= std::ssize(row); pixel += kPixels) {
        const __m256i pixels = load_pixels(row.data() + 3 * pixel);
        write_color(color_of<0>(pixels), first, to + pixel);
        write_color(color_of<1>(pixels), second, to + plane + pixel);
        write_color(color_of<2>(pixels), third, to + 2 * plane + pixel);
    }
    return pixel;
}
#endif

int64_t write_pixels(std::span<const uint8_t> row, std::span<const ColorLine, 3> lines, float* to,
                     int64_t plane) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
        std::ranges::all_of(lines, &ColorLine::is_exact)) {
        return write_pixels_avx2(row, lines, to, plane);
    }
#endif
    return 0;
}

bool has_bits_of(const ByteValues& values, const ColorLine& line) {
    const auto number = [&](size_t byte) {
        const auto value = static_cast<float>(byte);
        return std::fma(value, line.coarse.scale, line.coarse.offset) +
               std::fma(value, line.fine.scale, line.fine.offset);
    };
    for (size_t byte = 0; byte < values.size(); ++byte) {
        if (std::bit_cast<uint32_t>(number(byte)) != std::bit_cast<uint32_t>(values[byte])) {
            return false;
        }
    }
    return true;
}

void split(double number, double step, float& coarse, float& fine) {
    const double rounded = std::nearbyint(number / step) * step;
    coarse = static_cast<float>(rounded);
    fine = static_cast<float>(number - rounded);
}

}  // namespace

// Returns a line that is exact for 99 of 100 means and deviations.
ColorLine color_line(const ByteValues& values, double mean, double deviation) {
    const double scale = 1 / (255 * deviation);
    const double offset = -mean / deviation;
    int exponent = 0;
    std::frexp(std::abs(offset) + 255 * scale, &exponent);
    const double step = std::ldexp(1.0, exponent - std::numeric_limits<float>::digits);
    ColorLine line;
    split(scale, step, line.coarse.scale, line.fine.scale);
    split(offset, step, line.coarse.offset, line.fine.offset);
    line.is_exact = has_bits_of(values, line);
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
