// Formats the matrix and the scores of its classes as aligned columns of text.

#include "score_table.hpp"

#include <result_files.hpp>

#include <algorithm>
#include <cstdio>

namespace measures {

namespace {

// Counts characters, not bytes, of UTF-8 text.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string share(double value) {
    char text[16];
    std::snprintf(text, sizeof text, "%.4f", value);
    return text;
}

std::vector<std::string> row_of(const std::string& name, const Scores& scores) {
    return {name, share(scores.precision), share(scores.recall), share(scores.f1score),
            std::to_string(scores.support)};
}

}  // namespace

Table score_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names) {
    Table rows{{"class", "precision", "recall", "f1score", "support"}};
    for (std::int64_t i = 0; i < matrix.classes(); ++i) {
        rows.push_back(row_of(names[static_cast<std::size_t>(i)], matrix.of_class(i)));
    }
    const Averages averages = matrix.averages();
    rows.push_back(row_of("(weighted)", averages.weighted));
    rows.push_back(row_of("(macro)", averages.macro));
    rows.push_back(row_of("(micro)", averages.micro));
    return rows;
}

Table count_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names) {
    const std::int64_t count = matrix.classes() + (matrix.has_no_class() ? 1 : 0);
    const auto name = [&](std::int64_t i) {
        return i == matrix.classes() ? "(none)" : names[static_cast<std::size_t>(i)];
    };
    Table rows{{"target"}};
    for (std::int64_t i = 0; i < count; ++i) {
        rows.front().push_back(name(i));
    }
    for (std::int64_t target = 0; target < count; ++target) {
        std::vector<std::string>& row = rows.emplace_back();
        row.push_back(name(target));
        for (std::int64_t i = 0; i < count; ++i) {
            row.push_back(std::to_string(matrix.count(target, i)));
        }
    }
    return rows;
}

// Aligns names to the left, numbers to the right.
std::string padded(const std::string& cell, std::size_t column_width, bool is_name) {
    const std::string pad(column_width - width(cell), ' ');
    return is_name ? " " + cell + pad : "  " + pad + cell;
}

std::string text_of(const Table& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width(row[i]));
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        text += "\n ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += padded(row[i], row.size() == 1 ? width(row[i]) : widths[i], i == 0);
        }
    }
    return text;
}

std::string csv_of(const Table& rows) {
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : ",") + ptp::support::csv_cell(row[i], ',');
        }
        text += '\n';
    }
    return text;
}

}  // namespace measures
