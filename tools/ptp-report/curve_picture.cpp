// Draws curves with the dots of the characters of braille.

#include "ptp-report/curve_picture.hpp"

#include "base/terminal.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cmath>

namespace ptp::report {

namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kMargin = 11;  // of the numbers beside a picture
constexpr std::array kColors = {34, 33, 32, 35, 36, 31};

// Returns the place of a value on a line of dots.
std::size_t place(const Range& range, double value, std::size_t dots) {
    const double share =
        range.max > range.min ? (value - range.min) / (range.max - range.min) : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(dots - 1)));
}

// A picture of characters of two by four dots.
class Canvas {
public:
    Canvas(std::size_t width, std::size_t height)
        : width_(width), height_(height), dots_(width * height), colors_(width * height) {}

    [[nodiscard]] std::size_t columns() const { return width_ * 2; }
    [[nodiscard]] std::size_t lines() const { return height_ * 4; }

    // Sets a dot; y counts from below.
    void set(std::size_t x, std::size_t y, int color) {
        constexpr std::array<std::array<unsigned, 4>, 2> kDots = {
            {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
        const std::size_t line = lines() - 1 - y;
        dots_[line / 4 * width_ + x / 2] |= kDots[x % 2][line % 4];
        colors_[line / 4 * width_ + x / 2] = color;
    }

    [[nodiscard]] std::string line(std::size_t index, bool is_colored) const {
        std::string text;
        for (std::size_t x = 0; x < width_; ++x) {
            const unsigned dots = dots_[index * width_ + x];
            const std::string character = {static_cast<char>(0xe2),
                                           static_cast<char>(0xa0 | dots >> 6U),
                                           static_cast<char>(0x80 | (dots & 0x3fU))};
            text += dots == 0 ? " "
                    : is_colored
                        ? fmt::format("\x1b[{}m{}\x1b[0m", colors_[index * width_ + x], character)
                        : character;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

private:
    std::size_t width_;
    std::size_t height_;
    std::vector<unsigned> dots_;
    std::vector<int> colors_;
};

void draw(Canvas& canvas, const Curve& curve, const Range& x, const Range& y, int color) {
    std::size_t before_x = 0;
    std::size_t before_y = 0;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const std::size_t column = place(x, curve.x[i], canvas.columns());
        const std::size_t line = place(y, curve.y[i], canvas.lines());
        if (i == 0) {
            canvas.set(column, line, color);
        }
        const double dx = static_cast<double>(column) - static_cast<double>(before_x);
        const double dy = static_cast<double>(line) - static_cast<double>(before_y);
        const auto steps = static_cast<std::size_t>(std::max(std::abs(dx), std::abs(dy)));
        for (std::size_t step = 1; i > 0 && step <= steps; ++step) {
            const double share = static_cast<double>(step) / static_cast<double>(steps);
            canvas.set(
                static_cast<std::size_t>(std::lround(static_cast<double>(before_x) + share * dx)),
                static_cast<std::size_t>(std::lround(static_cast<double>(before_y) + share * dy)),
                color);
        }
        before_x = column;
        before_y = line;
    }
}

std::string x_text(const Picture& picture, double value) {
    return picture.is_x_log ? fmt::format("{:.2g}", std::pow(10, value))
                            : fmt::format("{:.0f}", value);
}

void print_one(const Picture& picture, const std::vector<Curve>& curves) {
    const std::size_t width = terminal_width(STDOUT_FILENO).value_or(kUsualWidth);
    Canvas canvas(std::max(width, kMargin + 10) - kMargin, picture.height);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const int color = kColors[i % kColors.size()];
        draw(canvas, curves[i], picture.x, picture.y, color);
        fmt::print("{}\n", picture.is_colored
                               ? fmt::format("\x1b[{}m{}\x1b[0m", color, curves[i].title)
                               : curves[i].title);
    }
    for (std::size_t line = 0; line < picture.height; ++line) {
        const double share =
            1 - static_cast<double>(line) / static_cast<double>(picture.height - 1);
        const double value = picture.y.min + share * (picture.y.max - picture.y.min);
        const bool is_labeled = line % 5 == 0 || line + 1 == picture.height;
        const std::string number =
            is_labeled ? fmt::format("{:.4g}", picture.is_log ? std::pow(10, value) : value) : "";
        fmt::print("{:>{}} {}\n", number, kMargin - 2, canvas.line(line, picture.is_colored));
    }
    const std::string last = x_text(picture, picture.x.max);
    fmt::print("{:>{}} {:<{}}{}\n\n", picture.x_name, kMargin - 2, x_text(picture, picture.x.min),
               canvas.columns() / 2 - std::min(last.size(), canvas.columns() / 2), last);
}

}  // namespace

void print_picture(const Picture& picture, const std::vector<Curve>& curves) {
    if (picture.is_colored) {
        print_one(picture, curves);
        return;
    }
    for (const Curve& curve : curves) {
        print_one(picture, {curve});
    }
}

}  // namespace ptp::report
