// Reads the columns of a table in a file: CSV or TSV, with the names of the columns in the first
// row, or JSON lines.
#pragma once

#include <ptp/setup.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

class Table;

// The problem of a cell, which continues "the column 'age' has 'x', ", and what to do.
struct CellProblem {
    std::string text;  // "which is not a number"; empty: there is none
    std::string fix = {};
};

// Collects the columns with wrong cells: each column once, with its first wrong cell and their
// number.
class WrongColumns {
public:
    explicit WrongColumns(const Table& table) : table_(table) {}

    void add(const std::string& column, size_t row, const std::string& cell,
             const CellProblem& problem);

    // Throws DataError if there are any wrong columns.
    void throw_if_any() const;

private:
    struct Wrong {
        std::string column;
        int64_t line = 0;
        std::string cell;
        CellProblem problem;
        size_t count = 0;
        size_t empty_count = 0;
    };

    const Table& table_;
    std::vector<Wrong> columns_;
};

// The names of columns that a setting has.
struct WantedColumns {
    const char* setting;
    std::vector<std::string> columns;
    bool is_list = true;    // or it is the name of one
    bool is_needed = true;  // or the table may lack them
};

class Table {
public:
    // Reads the whole file, with `separator` between the cells of a row unless it has JSON lines.
    // Throws DataError with the wrong lines; warns of blank lines that may be meant as rows.
    Table(std::filesystem::path file, char separator, const ptp::Setup& setup);

    [[nodiscard]] size_t row_count() const { return lines_.size(); }
    [[nodiscard]] int64_t line_of(size_t row) const { return lines_[row]; }
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

    // Throws SettingError for a setting that names a column twice, and for the first of these
    // settings that names no column of the file, with all such names of all of them.
    // `is_predicting`: the settings are those of the training, so that the file is to be changed.
    void require(const std::vector<WantedColumns>& wanted, bool is_predicting) const;

    // Calls use(row, cell), row from 0, for each row of the column, which must exist. `use` returns
    // the problem of the cell.
    void read_column(const std::string& column, WrongColumns& wrong,
                     const std::function<CellProblem(size_t, const std::string&)>& use) const;

private:
    template <class Text>
    void read_rows(Text& text, const ptp::Setup& setup);
    [[nodiscard]] std::string fix_of_names(const std::vector<WantedColumns>& wanted,
                                           const std::vector<std::string>& missing,
                                           bool is_predicting) const;

    std::filesystem::path file_;
    char separator_;
    std::vector<std::string> columns_;
    std::vector<std::string> cells_;  // row by row
    std::vector<int64_t> lines_;      // first line of each row
};

// Return the problem of a cell that float_in() or integer_in() rejects.
CellProblem float_problem(std::string_view cell);
CellProblem integer_problem(std::string_view cell);

// Return the number in a cell, ignoring blanks around it; nullopt if there is none, or if it does
// not fit.
std::optional<float> float_in(std::string_view cell);
std::optional<int64_t> integer_in(std::string_view cell);
