// Tables of text, fitted to a terminal or written as CSV.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptp::runs {

struct TableColumn {
    std::string title;
    bool is_right = false;  // numbers are right-aligned
    bool is_whole = false;  // never omitted or cut, even on a narrow terminal
    std::vector<std::string> cells = {};
};

// A table of columns with the same number of cells. The first is the most important.
using Table = std::vector<TableColumn>;

// Returns a line of titles and one per row. With a width, long cells are cut, and columns that do
// not fit are omitted; the first of these are named below. The first column and columns that are
// `is_whole` are printed at any width. If the first one leaves no room, its cells have lines of
// their own.
std::string text_of(const Table& table, std::optional<std::size_t> width);

// Returns CSV as in RFC 4180, with titles.
std::string csv_of(const Table& table);

}  // namespace ptp::runs
