// A table of statistics of a run, as training.csv: a column of numbers for each.
#pragma once

#include <cstddef>
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

// Returns the cells of a line of CSV without its end.
std::vector<std::string> cells_of(std::string_view line);

}  // namespace ptp::report
