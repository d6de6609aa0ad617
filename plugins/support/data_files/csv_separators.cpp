// Reads the first line with each of the usual separators, and counts the cells of wrong rows.

#include "csv_separators.hpp"

#include "wrong_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

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

// Returns whether a text is a date or a time, as 2018-01-09, 9.1.2018 or 10:30:00.
static bool looks_like_time(std::string_view text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_part = [&](char c) {
        return is_digit(c) || std::string_view("-/.: TZ+").find(c) != std::string_view::npos;
    };
    return text.size() >= 6 && is_digit(text.front()) && std::ranges::all_of(text, is_part);
}

bool looks_like_row(const std::vector<std::string>& columns) {
    std::vector<double> numbers;
    std::size_t times = 0;
    for (const std::string& name : columns) {
        double number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error == std::errc() && end == name.data() + name.size() && std::isfinite(number)) {
            numbers.push_back(number);
        } else if (looks_like_time(name)) {
            ++times;
        }
    }
    if (numbers.empty() || 2 * (numbers.size() + times) < columns.size()) {
        return false;
    }
    const bool is_counted = std::ranges::adjacent_find(numbers, [](double one, double next) {
                                return next != one + 1;
                            }) == numbers.end();
    const bool is_first = numbers.front() == 0 || numbers.front() == 1;
    const bool is_whole = numbers.front() == std::floor(numbers.front());
    return !is_counted || !is_whole || (numbers.size() == 1 && !is_first);
}

std::string shell_path(const std::filesystem::path& file) {
    const std::string path = (file.string().starts_with('-') ? "./" : "") + file.string();
    const bool is_plain = std::ranges::all_of(path, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+").find(c) != std::string_view::npos;
    });
    if (is_plain) {
        return path;
    }
    std::string word = "'";
    for (const char c : path) {
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return word + "'";
}

std::string fix_of_header(const std::filesystem::path& file, std::size_t columns, char separator) {
    std::string names;
    for (std::size_t i = 1; i <= columns; ++i) {
        names += (i == 1 ? "" : std::string(1, separator)) + "c" + std::to_string(i);
    }
    return detail::join(
        "the first line looks like data; write your names of the columns above it, "
        "in place of c1 to c",
        columns, ": sed -i '1i ", names, "' ", shell_path(file));
}

std::string fix_of_column(const std::string& name, const std::vector<std::string>& columns) {
    return columns.size() == 1
               ? detail::join("write ", name, " as the first line: above '", columns.front(),
                              "' if that is a sample, else in place of it")
               : "add the column, which the training has, or rename the one that is it to '" +
                     name + "'";
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
