// Turns numbers into colors, and colors into characters.

#include "ptp-data/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ptp::data {

namespace {

constexpr std::int64_t kMinSide = 8;

struct Layout {
    std::int64_t channels = 1;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

std::optional<Layout> layout_of(const std::vector<std::int64_t>& sizes) {
    Layout layout;
    if (sizes.size() == 2) {
        layout = {1, sizes[0], sizes[1]};
    } else if (sizes.size() == 3 && (sizes[0] == 1 || sizes[0] == 3)) {
        layout = {sizes[0], sizes[1], sizes[2]};
    } else {
        return std::nullopt;
    }
    return layout.height < kMinSide || layout.width < kMinSide ? std::nullopt
                                                               : std::optional(layout);
}

// Returns distinct colors for small numbers: steps of the golden angle around the color wheel.
std::array<std::uint8_t, 3> color_of_class(std::int64_t number) {
    if (number == 0) {
        return {0, 0, 0};
    }
    constexpr double kGoldenAngle = 137.508;
    const double hue = std::fmod(static_cast<double>(number) * kGoldenAngle, 360.0) / 60.0;
    const auto channel = [hue](double shift) {
        const double distance = std::fabs(std::fmod(hue + shift, 6.0) - 3.0) - 1.0;
        return static_cast<std::uint8_t>(55 + 200 * std::clamp(distance, 0.0, 1.0));
    };
    return {channel(0), channel(4), channel(2)};
}

std::uint8_t grey_at(const Picture& picture, std::size_t row, std::size_t column) {
    const std::uint8_t* pixel = &picture.pixels[(row * picture.width + column) * 3];
    return static_cast<std::uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2]) / 1000);
}

// Returns the picture with every pixel of the new one from the middle of those that it covers.
Picture reduced(const Picture& picture, std::size_t height, std::size_t width) {
    Picture small{height, width};
    for (std::size_t row = 0; row < height; ++row) {
        for (std::size_t column = 0; column < width; ++column) {
            const std::size_t from_row = (2 * row + 1) * picture.height / (2 * height);
            const std::size_t from_column = (2 * column + 1) * picture.width / (2 * width);
            const auto from =
                picture.pixels.begin() +
                static_cast<std::ptrdiff_t>((from_row * picture.width + from_column) * 3);
            small.pixels.insert(small.pixels.end(), from, from + 3);
        }
    }
    return small;
}

}  // namespace

std::optional<Picture> picture_of(const engine::StreamFacts& stream,
                                  const engine::ShownValue& value,
                                  const std::optional<Range>& range) {
    const auto layout = layout_of(value.sizes);
    if (!layout || value.numbers.empty()) {
        return std::nullopt;
    }
    const auto plane = static_cast<std::size_t>(layout->height * layout->width);
    Picture picture{static_cast<std::size_t>(layout->height),
                    static_cast<std::size_t>(layout->width)};
    picture.pixels.resize(plane * 3);
    const bool is_map = layout->channels == 1 && stream.type.starts_with("int");
    const auto [own_least, own_most] = std::ranges::minmax(value.numbers);
    const auto [least, most] = range.value_or(Range{own_least, own_most});
    const bool is_stretched = least < 0 || most > 1;
    const float scale = is_stretched && most > least ? 1 / (most - least) : 1;
    for (std::size_t i = 0; i < plane; ++i) {
        if (is_map) {
            const auto color = color_of_class(static_cast<std::int64_t>(value.numbers[i]));
            std::ranges::copy(color, &picture.pixels[i * 3]);
            continue;
        }
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const std::size_t from = layout->channels == 3 ? channel * plane + i : i;
            const float number = (value.numbers[from] - (is_stretched ? least : 0)) * scale;
            picture.pixels[i * 3 + channel] =
                static_cast<std::uint8_t>(255 * std::clamp(number, 0.0F, 1.0F) + 0.5F);
        }
    }
    return picture;
}

Picture averaged(const Picture& picture, std::size_t side) {
    const std::size_t largest = std::max(picture.height, picture.width);
    if (largest <= side) {
        return picture;
    }
    const auto scaled = [&](std::size_t size) {
        return std::max<std::size_t>(1, size * side / largest);
    };
    Picture small{scaled(picture.height), scaled(picture.width)};
    for (std::size_t row = 0; row < small.height; ++row) {
        const std::size_t top = row * picture.height / small.height;
        const std::size_t bottom = (row + 1) * picture.height / small.height;
        for (std::size_t column = 0; column < small.width; ++column) {
            const std::size_t left = column * picture.width / small.width;
            const std::size_t right = (column + 1) * picture.width / small.width;
            std::array<std::size_t, 3> sums = {};
            for (std::size_t i = top; i < bottom; ++i) {
                for (std::size_t k = left; k < right; ++k) {
                    for (std::size_t channel = 0; channel < 3; ++channel) {
                        sums[channel] += picture.pixels[(i * picture.width + k) * 3 + channel];
                    }
                }
            }
            const std::size_t count = (bottom - top) * (right - left);
            for (const std::size_t sum : sums) {
                small.pixels.push_back(static_cast<std::uint8_t>((sum + count / 2) / count));
            }
        }
    }
    return small;
}

std::string drawn(const Picture& picture, std::size_t width, bool has_color) {
    constexpr std::string_view kDarkness = " .:-=+*#%@";
    width = std::min(width, picture.width);
    const std::size_t lines =
        std::max<std::size_t>(1, (picture.height * width / picture.width + 1) / 2);
    const Picture small = reduced(picture, has_color ? lines * 2 : lines, width);
    std::string text;
    for (std::size_t line = 0; line < lines; ++line) {
        text += "    ";
        for (std::size_t column = 0; column < width; ++column) {
            if (!has_color) {
                text += kDarkness[grey_at(small, line, column) * kDarkness.size() / 256];
                continue;
            }
            const std::uint8_t* upper = &small.pixels[(2 * line * width + column) * 3];
            const std::uint8_t* lower = upper + width * 3;
            text += fmt::format("\x1b[38;2;{};{};{};48;2;{};{};{}m\xe2\x96\x80", upper[0], upper[1],
                                upper[2], lower[0], lower[1], lower[2]);
        }
        text += has_color ? "\x1b[0m\n" : "\n";
    }
    return text;
}

}  // namespace ptp::data
