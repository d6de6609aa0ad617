// A table of statistics of a run, as training.csv: a column of numbers for each.
#pragma once

#include "base/input_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::report {

struct StatisticsTable {
    std::string set;                           // "training", "validation.hard"
    std::vector<std::string> names;            // of the columns; the first is "episode"
    std::vector<std::vector<double>> columns;  // nan for what is not a number
    std::string problem = {};                  // what of the file is not shown, and why

    [[nodiscard]] std::size_t row_count() const { return columns.empty() ? 0 : columns[0].size(); }

    // Returns nullptr where there is no such column.
    [[nodiscard]] const std::vector<double>* find(std::string_view name) const;
};

// Returns the table of a file. A last line that is cut off does not count; at other damage the
// table ends, and its `problem` has the line. nullopt for a CSV file of something else.
std::optional<StatisticsTable> read_statistics(const std::filesystem::path& file);

// Returns the tables of a run, training first.
std::vector<StatisticsTable> statistics_of(const std::filesystem::path& run);

// Returns whether the column is a place in the training, and no statistic.
bool is_place(std::string_view column);

// The lines of a file that may be large, read in pieces. A last line that is cut off does not
// count.
class Lines {
public:
    // Throws FileError, as next().
    explicit Lines(const std::filesystem::path& file) : file_(file) {}

    // Returns the next line without its end, until another one is read; nullopt at the end.
    std::optional<std::string_view> next();

    // Returns the number of the line, from 1, and whether it is longer than 4 MiB, so that it was
    // cut off.
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] bool is_too_long() const { return is_too_long_; }

private:
    InputFile file_;
    std::uint64_t offset_ = 0;
    std::string rest_;  // what was read and is no line yet, from begin_ on
    std::size_t begin_ = 0;
    std::size_t number_ = 0;
    bool is_too_long_ = false;
};

// Returns the cells of a line of CSV without its end.
std::vector<std::string> cells_of(std::string_view line);

}  // namespace ptp::report
