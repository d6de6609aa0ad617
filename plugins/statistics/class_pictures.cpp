// Draws bars of scores, and a confusion matrix with a shade for each cell.

#include "class_pictures.hpp"

#include "score_table.hpp"

#include <font.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace measures {

namespace {

using ptp::support::Canvas;
using ptp::support::Color;
using ptp::support::Spot;

constexpr Color kBlack{0, 0, 0};
constexpr Color kWhite{255, 255, 255};
constexpr Color kBar{70, 130, 180};
constexpr Color kTrough{235, 235, 235};
constexpr std::int64_t kAdvance = ptp::support::kGlyphAdvance;
constexpr std::int64_t kGap = 4;
constexpr std::int64_t kRow = ptp::support::kGlyphHeight + kGap;
constexpr std::int64_t kMaxNameGlyphs = 20;
constexpr std::int64_t kMaxCellGlyphs = 8;

// Returns the width of the widest text of a column, in glyphs, at most `most`.
std::int64_t glyphs(const Table& rows, std::size_t column, std::int64_t most) {
    std::int64_t count = 1;
    for (const std::vector<std::string>& row : rows) {
        count = std::max(count, ptp::support::glyph_count(row[column]));
    }
    return std::min(count, most);
}

// Returns white for 0, dark blue for 1.
Color shade(double share) {
    const auto between = [&](double light, double dark) {
        return static_cast<std::uint8_t>(std::lround(light + (dark - light) * share));
    };
    return {between(255, 8), between(255, 48), between(255, 107)};
}

}  // namespace

Canvas score_picture(const ConfusionMatrix& matrix, const std::vector<std::string>& names) {
    constexpr std::int64_t kBarWidth = 100;
    constexpr std::int64_t kNumberGlyphs = 6;  // "0.6667"
    constexpr std::int64_t kColumn = kBarWidth + kNumberGlyphs * kAdvance + 3 * kGap;
    constexpr std::size_t kColumns = 3;
    const Table rows = score_table(matrix, names);
    const std::int64_t left = glyphs(rows, 0, kMaxNameGlyphs) * kAdvance + 2 * kGap;
    Canvas canvas(static_cast<std::int64_t>(rows.size()) * kRow + kGap,
                  left + static_cast<std::int64_t>(kColumns) * kColumn);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Spot at{kGap + static_cast<std::int64_t>(i) * kRow, kGap};
        canvas.put_text(rows[i][0], at, left - kGap, kBlack);
        at.left = left;
        for (std::size_t k = 1; k <= kColumns; ++k, at.left += kColumn) {
            if (i == 0) {
                canvas.put_text(rows[i][k], at, kColumn, kBlack);
                continue;
            }
            const auto length = static_cast<std::int64_t>(
                std::lround(std::stod(rows[i][k]) * static_cast<double>(kBarWidth)));
            canvas.put_box(at, ptp::support::kGlyphHeight, kBarWidth, kTrough);
            canvas.put_box(at, ptp::support::kGlyphHeight, length, kBar);
            canvas.put_text(rows[i][k], {at.top, at.left + kBarWidth + kGap},
                            kNumberGlyphs * kAdvance, kBlack);
        }
    }
    return canvas;
}

Canvas count_picture(const ConfusionMatrix& matrix, const std::vector<std::string>& names) {
    const Table rows = count_table(matrix, names);
    const std::int64_t left = glyphs(rows, 0, kMaxNameGlyphs) * kAdvance + 2 * kGap;
    std::int64_t widest = 1;
    for (std::size_t k = 1; k < rows.size(); ++k) {
        widest = std::max(widest, glyphs(rows, k, kMaxCellGlyphs));
    }
    const std::int64_t width = widest * kAdvance + kGap;
    const auto count = static_cast<std::int64_t>(rows.size()) - 1;
    Canvas canvas((count + 1) * kRow + kGap, left + count * width + kGap);
    for (std::int64_t i = 0; i <= count; ++i) {
        const std::vector<std::string>& row = rows[static_cast<std::size_t>(i)];
        const Spot begin{kGap + i * kRow, kGap};
        canvas.put_text(row[0], begin, left - kGap, kBlack);
        double sum = 0;
        for (std::int64_t k = 0; i > 0 && k < count; ++k) {
            sum += static_cast<double>(matrix.count(i - 1, k));
        }
        for (std::int64_t k = 0; k < count; ++k) {
            const Spot at{begin.top, left + k * width};
            const double share = sum == 0 ? 0 : static_cast<double>(matrix.count(i - 1, k)) / sum;
            if (i > 0) {
                canvas.put_box({at.top - 2, at.left - 2}, kRow, width, shade(share));
            }
            canvas.put_text(row[static_cast<std::size_t>(k + 1)], at, width - 2,
                            share > 0.5 ? kWhite : kBlack);
        }
    }
    return canvas;
}

}  // namespace measures
