// Reads a table of text: CSV, TSV, or JSON lines.
#pragma once

#include <ptp/setup.hpp>
#include <words.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using ptp::support::quoted_names;

struct TableOptions {
    std::optional<char> separator;            // nullopt: by the ending of the file's name
    std::vector<std::string> missing_values;  // cells that mean the same as an empty one
    bool is_predicting = false;               // with the columns of a training
    bool has_text = false;                    // a column of texts is read
    std::vector<std::string> used;            // columns that no other feature can be
};

class TableFile {
public:
    // Reads the whole file. Throws DataError with the wrong lines; warns of blank lines that may be
    // meant as rows.
    TableFile(std::filesystem::path file, const TableOptions& options, const ptp::Setup& setup);

    [[nodiscard]] size_t row_count() const { return lines_.size(); }
    [[nodiscard]] int64_t line_of(size_t row) const { return lines_[row]; }
    [[nodiscard]] const std::filesystem::path& path() const { return file_; }
    [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

    [[nodiscard]] bool has_column(const std::string& name) const {
        return std::ranges::find(columns_, name) != columns_.end();
    }

    // Returns the number of a column; throws SettingError if there is none: its fix is `otherwise`
    // where no column has a similar name.
    [[nodiscard]] size_t column(const std::string& setting, const std::string& name,
                                const std::string& otherwise = "") const;

    // Throws SettingError if the only column of the first line is several with another separator.
    void check_separator(const std::string& setting) const;

    // Returns what to do about a first line that is probably a row, or "".
    [[nodiscard]] std::string fix_of_header() const;

    // Returns the cell without white space around it; nullopt if its value is missing.
    [[nodiscard]] std::optional<std::string_view> value(size_t column, size_t row) const;
    // Returns the setting by which these texts mark missing values too, beside those that do so.
    [[nodiscard]] std::string missing_values_with(std::span<const std::string> marks) const;
    // Returns the cell as it is written.
    [[nodiscard]] std::string_view cell(size_t column, size_t row) const {
        const size_t place = row * columns_.size() + column;
        const size_t begin = column == 0 ? 0 : ends_[place - 1];
        return std::string_view(text_).substr(starts_[row] + begin, ends_[place] - begin);
    }

    // Returns whether the rows are JSON, where a cell may be true or false.
    [[nodiscard]] bool has_json_cells() const { return !separator_; }

private:
    [[nodiscard]] std::string fix_of_absent(const std::string& setting, const std::string& name,
                                            const std::string& otherwise) const;
    [[nodiscard]] std::vector<std::string> listed_columns(const std::string& name) const;
    // Returns whether several columns have their name as a cell, as where it is one of a row.
    [[nodiscard]] bool has_names_in_rows() const;
    [[nodiscard]] std::string fix_of_index() const;
    void read_rows(char separator, const ptp::Setup& setup);
    void read_lines(const std::string& text);
    void set_columns(std::vector<std::string> names, int64_t line);
    void add_row(std::span<const std::string> cells, int64_t line);

    std::filesystem::path file_;
    TableOptions options_;
    std::optional<char> separator_;  // nullopt: JSON lines
    std::vector<std::string> columns_;
    std::string text_;            // the cells of each row, one after the other
    std::vector<size_t> starts_;  // of each row in it
    std::vector<uint32_t> ends_;  // of each cell from there on, row by row
    std::vector<int64_t> lines_;  // first line of each row
};

// Returns the name among these that is nearest to `name`, or "" if none is near.
std::string nearest_name(const std::string& name, std::span<const std::string> names);

// Returns ["a", "b", "c"] as it is written in an experiment.
std::string list_of(std::span<const std::string> names);
