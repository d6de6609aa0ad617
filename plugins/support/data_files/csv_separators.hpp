// Recognizes a table whose cells are divided by another separator than it is read with, or whose
// first line has no names of columns.
#pragma once

#include "csv_text.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::support {

class WrongLines;

// Returns the name of a separator in a setting: comma, semicolon or tab.
const char* separator_name(char separator);

// Returns the separator with which the only column of a file becomes several, among them the wanted
// one, if there is one.
std::optional<char> other_separator(const std::vector<std::string>& columns,
                                    const std::string* wanted = nullptr);

// Returns whether the first line of a table is probably one of its rows: half of its cells are
// numbers or, beside numbers, times, but not names that count, as years or the 0, 1, 2 of a
// program.
bool looks_like_row(const std::vector<std::string>& columns);

// Returns the path as a word of a shell, which no command takes for an option.
std::string shell_path(const std::filesystem::path& file);

// Returns the command that writes a line with names of columns above the first line.
std::string fix_of_header(const std::filesystem::path& file, std::size_t columns, char separator);

// Returns how samples to predict get a column that they lack: the line with the names of the
// columns is another one, or none.
std::string fix_of_column(const std::string& name, const std::vector<std::string>& columns);

// Collects rows with another number of cells than the first line: a sentence for each number.
class WrongCounts {
public:
    void add(const CsvRow& row);

    // Adds the sentences; returns what to do about them, or "".
    std::string add_to(WrongLines& wrong, const std::vector<std::string>& columns,
                       char separator) const;

private:
    std::map<std::size_t, std::pair<std::int64_t, std::size_t>>
        rows_;  // first and number, by cells
};

}  // namespace ptp::support
