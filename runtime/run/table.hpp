// Columns of text, fitted to a terminal or written as CSV.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

struct TableColumn {
    std::string title;
    bool is_right = false;  // numbers are right-aligned
    bool is_whole = false;  // is neither left out nor cut, however narrow the terminal is
    std::vector<std::string> cells = {};
};

// The columns have equally many cells. The first is the most important.
using Table = std::vector<TableColumn>;

// A line of titles and one for each row. With a width: long cells are cut, and the columns that do
// not fit are named below instead, the first of them. The first column and columns that are
// `is_whole` are printed at any width.
std::string text_of(const Table& table, std::optional<std::size_t> width);

// RFC 4180, with titles.
std::string csv_of(const Table& table);

}  // namespace ptp::run
