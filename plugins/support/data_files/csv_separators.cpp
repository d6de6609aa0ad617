// Reads the first line with each of the usual separators, and counts the cells of wrong rows.

#include "csv_separators.hpp"

#include "wrong_lines.hpp"

#include <algorithm>

namespace ptp::support {

namespace {

// Returns "has 2 cells, but the header has 1; a text with a comma needs quotes".
std::string count_problem(std::size_t count, std::size_t wanted, char separator) {
    const auto* const cells = count == 1 ? " cell" : " cells";
    return detail::join("has ", count, cells, ", but the header has ", wanted,
                        count > wanted ? detail::join("; a text with a ", separator_name(separator),
                                                      " needs quotes")
                                       : detail::join("; write an empty cell as two ",
                                                      separator_name(separator), "s in a row"));
}

}  // namespace

const char* separator_name(char separator) {
    return separator == ',' ? "comma" : separator == '\t' ? "tab" : "semicolon";
}

std::optional<char> other_separator(const std::vector<std::string>& columns,
                                    const std::string* wanted) {
    for (const char separator : {',', ';', '\t'}) {
        CsvText csv(columns.front(), separator);
        const auto row = csv.next();
        if (columns.size() == 1 && row && row->cells.size() > 1 &&
            (wanted == nullptr || std::ranges::find(row->cells, *wanted) != row->cells.end())) {
            return separator;
        }
    }
    return std::nullopt;
}

void WrongCounts::add(const CsvRow& row) {
    const auto place = rows_.emplace(row.cells.size(), std::pair(row.line, std::size_t{0})).first;
    ++place->second.second;
}

std::string WrongCounts::add_to(WrongLines& wrong, const std::vector<std::string>& columns,
                                char separator) const {
    const auto other = rows_.empty() ? std::nullopt : other_separator(columns);
    for (const auto& [cells, rows] : rows_) {
        const auto& [line, count] = rows;
        std::string text = count_problem(cells, columns.size(), separator);
        if (other) {
            text = detail::join(text.substr(0, text.find(';')), ", '", columns[0], "'");
        }
        wrong.add(line, text + (count == 1 ? ""
                                           : detail::join(" (and ", count - 1, " more ",
                                                          count == 2 ? "row)" : "rows)")));
    }
    return other ? detail::join("set separator = \"", separator_name(*other), "\"") : "";
}

}  // namespace ptp::support
