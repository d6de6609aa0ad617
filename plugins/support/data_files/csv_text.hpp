// Parses tables of text, such as CSV files: RFC 4180, with any separator.
#pragma once

#include <ptp/setup.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

struct CsvRow {
    std::vector<std::string> cells;
    std::int64_t line = 1;  // first line of the row
    std::string problem;    // "" if its quotes are valid
    bool is_blank = false;  // an empty line; an empty cell in quotes is a row of one column
};

// Reads row by row. Rows end with LF or CR LF. A cell that begins with a quote ends with the next
// one that is not doubled, and may contain separators and line ends.
class CsvText {
public:
    // REQUIRES: the text outlives the object.
    explicit CsvText(std::string_view text, char separator = ',')
        : text_(text), separator_(separator) {}

    // Returns nullopt at the end.
    std::optional<CsvRow> next();

private:
    [[nodiscard]] char at(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool ends_line() const;
    void step_over_end();
    std::string plain();
    std::string quoted(std::string& problem);

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
};

// Blank lines between the rows of a table, which are skipped: in one of one column they may be
// meant as rows.
class BlankLines {
public:
    void add(std::int64_t line) {
        first_ = first_ == 0 ? line : first_;
        ++waiting_;
    }
    void add_row() {
        count_ += waiting_;
        waiting_ = 0;
    }
    // Warns of those of a table of one column.
    void warn(std::size_t columns, const Setup& setup) const;

private:
    std::int64_t first_ = 0;
    std::size_t waiting_ = 0;  // since the last row
    std::size_t count_ = 0;
};

}  // namespace ptp::support
