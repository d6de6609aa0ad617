// The columns of a table in a file: CSV or TSV, with the names of the columns in the first row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

class Table {
public:
    // Reads the whole file. `separator` is between the cells of a row. Throws DataError with the
    // lines that are wrong.
    Table(std::filesystem::path file, char separator);

    [[nodiscard]] size_t row_count() const { return lines_.size(); }

    // Calls use(row, cell), row from 0, for each row of the column. `use` returns what is wrong
    // with the cell, such as "is not a number", or "". Throws DataError with the cells that are
    // wrong, and SettingError of `setting` where there is no such column.
    void read_column(const std::string& column, const char* setting,
                     const std::function<std::string(size_t, const std::string&)>& use) const;

private:
    std::filesystem::path file_;
    std::vector<std::string> columns_;
    std::vector<std::string> cells_;  // row by row
    std::vector<int64_t> lines_;      // where each row begins
};

// The number in a cell, with blanks around it or not; nothing if there is none, or none that fits.
std::optional<float> float_in(std::string_view cell);
std::optional<int64_t> integer_in(std::string_view cell);
