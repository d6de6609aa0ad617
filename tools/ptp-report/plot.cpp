// `ptprun plot`: draws curves in the terminal, by the eight dots of the characters of braille.

#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "ptp-report/report.hpp"
#include "ptp-report/statistics_table.hpp"
#include "ptprun/run_operand.hpp"
#include "run/run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kMargin = 11;  // of the numbers beside a picture
constexpr std::array kColors = {34, 33, 32, 35, 36, 31};

struct Curve {
    std::string title;
    std::vector<double> x;
    std::vector<double> y;  // finite; its logarithm on a logarithmic axis
};

struct Range {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    void add(double value) {
        min = std::min(min, value);
        max = std::max(max, value);
    }
    // Returns the place of a value on a line of dots.
    [[nodiscard]] std::size_t place(double value, std::size_t dots) const {
        const double share = max > min ? (value - min) / (max - min) : 0.5;
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(dots - 1)));
    }
};

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
        const std::size_t column = x.place(curve.x[i], canvas.columns());
        const std::size_t line = y.place(curve.y[i], canvas.lines());
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

std::vector<Curve> curves_in(const ptprun::Given& given, std::set<std::string>& known) {
    const tools::Strings& words = given.operands();
    const std::string& statistic = words.back();
    const tools::Strings sets = given.texts("set");
    const bool is_log = given.has("log");
    std::vector<Curve> curves;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::filesystem::path run = ptprun::run_operand(words[i]);
        for (const StatisticsTable& table : statistics_of(run)) {
            for (const std::string& name : table.names) {
                if (!is_place(name)) {
                    known.insert(name);
                }
            }
            const std::vector<double>* values = table.find(statistic);
            if (values == nullptr || is_place(statistic) ||
                (!sets.empty() && std::ranges::find(sets, table.set) == sets.end())) {
                continue;
            }
            Curve curve{.title = run::plain((words.size() > 2 ? words[i] + "  " : "") + table.set),
                        .x = {},
                        .y = {}};
            for (std::size_t row = 0; row < values->size(); ++row) {
                const double value = is_log ? std::log10((*values)[row]) : (*values)[row];
                if (std::isfinite(value) && std::isfinite(table.columns[0][row])) {
                    curve.x.push_back(table.columns[0][row]);
                    curve.y.push_back(value);
                }
            }
            curves.push_back(std::move(curve));
        }
    }
    return curves;
}

struct Picture {
    Range x;
    Range y;
    std::size_t height = 0;
    bool is_log = false;
    bool is_colored = false;
};

// Draws the curves into one picture; without colors they are drawn one by one.
void print_picture(const Picture& picture, const std::vector<Curve>& curves) {
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
    const std::string last = fmt::format("{:.0f}", picture.x.max);
    fmt::print("{:>{}} {:<{}}{}\n\n", "episode", kMargin - 2, fmt::format("{:.0f}", picture.x.min),
               canvas.columns() / 2 - std::min(last.size(), canvas.columns() / 2), last);
}

}  // namespace

int plot(const ptprun::Given& given) {
    std::set<std::string> known;
    const std::vector<Curve> curves = curves_in(given, known);
    const std::string& statistic = given.operands().back();
    if (curves.empty()) {
        const std::vector<std::string> names(known.begin(), known.end());
        throw tools::UsageError(
            known.contains(statistic)
                ? fmt::format("no such set has '{}'\n    fix: leave --set out", statistic)
                : fmt::format("no run has a statistic '{}'{}", harmless(statistic),
                              names.empty() ? std::string("; they have none yet")
                                            : "\n    fix: name one of " + harmless(joined(names))));
    }
    Picture picture{.x = {},
                    .y = {},
                    .height = static_cast<std::size_t>(*given.integer("height")),
                    .is_log = given.has("log"),
                    .is_colored = has_color(STDOUT_FILENO)};
    for (const Curve& curve : curves) {
        std::ranges::for_each(curve.x, [&](double value) { picture.x.add(value); });
        std::ranges::for_each(curve.y, [&](double value) { picture.y.add(value); });
    }
    if (picture.x.min > picture.x.max) {
        fmt::print("{} has no finite numbers yet\n", harmless(statistic));
    } else if (picture.is_colored) {
        print_picture(picture, curves);
    } else {
        for (const Curve& curve : curves) {
            print_picture(picture, {curve});
        }
    }
    return kDone;
}

}  // namespace ptp::report
