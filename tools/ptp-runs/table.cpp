// Fits a table to a width, or writes it as CSV.

#include "ptp-runs/table.hpp"

#include "base/characters.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

namespace ptp::runs {

namespace {

constexpr std::size_t kMaxCellWidth = 32;
constexpr std::string_view kGap = "  ";
constexpr std::size_t kMaxNamed = 8;  // of the omitted columns

// Shortens a text to at most `most` columns, with dots for the omitted part.
std::string cut(const std::string& text, std::size_t most) {
    return display_width(text) <= most ? text : cut_to_width(text, most - 2) + "..";
}

std::string filled(const std::string& text, std::size_t width, bool is_right) {
    const std::string space(width - display_width(text), ' ');
    return is_right ? space + text : text + space;
}

std::size_t width_of(const TableColumn& column) {
    std::size_t width = display_width(column.title);
    for (const std::string& cell : column.cells) {
        width = std::max(width, display_width(cell));
    }
    return width;
}

void cut_cells(Table& table) {
    for (std::size_t i = 1; i < table.size(); ++i) {
        if (table[i].is_whole) {
            continue;
        }
        table[i].title = cut(table[i].title, kMaxCellWidth);
        for (std::string& cell : table[i].cells) {
            cell = cut(cell, kMaxCellWidth);
        }
    }
}

// Removes the columns that do not fit and returns their titles. The first and those that `is_whole`
// always stay; the others share the remaining width.
std::vector<std::string> take_surplus(Table& table, std::size_t width) {
    const auto must_stay = [&](std::size_t i) { return i == 0 || table[i].is_whole; };
    std::vector<std::size_t> widths;
    std::size_t used = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        widths.push_back(width_of(table[i]) + (i == 0 ? 0 : kGap.size()));
        used += must_stay(i) ? widths[i] : 0;
    }
    std::vector<std::string> surplus;
    Table kept;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!must_stay(i) && used + widths[i] > width) {
            surplus.push_back(table[i].title);
            continue;
        }
        used += must_stay(i) ? 0 : widths[i];
        kept.push_back(table[i]);
    }
    table = std::move(kept);
    return surplus;
}

std::string table_line(const Table& table, const std::vector<std::size_t>& widths,
                       std::optional<std::size_t> row) {
    std::string line;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::string& text = row ? table[i].cells[*row] : table[i].title;
        line += (i == 0 ? "" : std::string(kGap)) + filled(text, widths[i], table[i].is_right);
    }
    return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

std::string surplus_text(const std::vector<std::string>& surplus) {
    if (surplus.empty()) {
        return "";
    }
    const std::size_t named = surplus.size() > kMaxNamed + 1 ? kMaxNamed : surplus.size();
    const auto end = surplus.begin() + static_cast<std::ptrdiff_t>(named);
    const std::string rest =
        named == surplus.size() ? "" : fmt::format(" and {} more", surplus.size() - named);
    return fmt::format("(too narrow for: {}{})\n",
                       join(std::ranges::subrange(surplus.begin(), end), ", "), rest);
}

// Returns the lines of a table, each below that of `names`, if there is one.
std::string lines_of(const Table& table, const TableColumn* names) {
    const std::vector<std::size_t> widths = transformed(table, width_of);
    const auto line = [&](std::optional<std::size_t> row) {
        const std::string text = table_line(table, widths, row);
        return names == nullptr
                   ? text
                   : (row ? names->cells[*row] : names->title) + "\n" + std::string(kGap) + text;
    };
    std::string text = line(std::nullopt);
    const std::size_t rows = table.empty() ? 0 : table.front().cells.size();
    for (std::size_t row = 0; row < rows; ++row) {
        text += line(row);
    }
    return text;
}

// Returns whether names take so much of a width that they stand on lines of their own.
bool has_long_names(const Table& table, std::size_t width) {
    constexpr std::size_t kMinWidth = 24;
    return width >= kMinWidth && table.size() > 1 && width_of(table.front()) > width / 2;
}

}  // namespace

std::string text_of(const Table& table, std::optional<std::size_t> width) {
    Table shown = table;
    if (!width) {
        return lines_of(shown, nullptr);
    }
    cut_cells(shown);
    const TableColumn names = shown.empty() ? TableColumn() : shown.front();
    Table facts(shown.begin() + (shown.empty() ? 0 : 1), shown.end());
    const bool has_own_lines = has_long_names(shown, *width);
    std::vector<std::string> surplus = take_surplus(shown, *width);
    if (!has_own_lines || surplus.empty()) {
        return lines_of(shown, nullptr) + surplus_text(surplus);
    }
    surplus = take_surplus(facts, *width - kGap.size());
    return lines_of(facts, &names) + surplus_text(surplus);
}

std::string csv_of(const Table& table) {
    const std::size_t rows = table.empty() ? 0 : table.front().cells.size();
    std::string text;
    for (std::size_t row = 0; row <= rows; ++row) {
        for (std::size_t i = 0; i < table.size(); ++i) {
            text += i == 0 ? "" : ",";
            text += csv_cell(row == 0 ? table[i].title : table[i].cells[row - 1]);
        }
        text += "\r\n";
    }
    return text;
}

}  // namespace ptp::runs
