// The rows of tables that tasks read.

#pragma once

#include "base/value.hpp"
#include "experiment/experiment.hpp"
#include "plugin/manifest.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

using Strings = std::vector<std::string>;

// In place of a separator: each line is a JSON object, and the keys of the first name the columns.
inline constexpr char kJsonLines = '\n';

// The rows of a table as RFC 4180 has them, or of JSON lines. What breaks their rules is the task's
// to report.
class Rows {
public:
    Rows(std::string_view text, char separator);

    // Reads the cells of the next row that is not blank, which of the first one are the names of
    // the columns; returns false after the last.
    bool next(Strings& cells);

    // Returns the line, from 1, at which the row begins.
    [[nodiscard]] std::size_t line() const { return line_; }

private:
    bool next_object(Strings& cells);
    std::string cell();

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  // of the row
    std::size_t line_;
    Strings columns_;  // of JSON lines
};

// Returns the place of a column, whose name may have spaces around it in the header; nullopt if
// there is none.
std::optional<std::size_t> find_column(const Strings& header, const std::string& name);

// Returns the character that divides the cells of a file, by a setting of the task, or kJsonLines;
// nullopt for a file that is neither.
std::optional<char> separator_of(const experiment::TaskEntry& task,
                                 const plugin::Component& component,
                                 const std::filesystem::path& file);

struct TableText {
    std::string cells;
    char separator;
};

// Returns the table with targets that a section's task reads; nullopt if it reads none that is
// there.
std::optional<TableText> table_text(const experiment::Section& section,
                                    const plugin::Catalog& catalog);

// Returns whether a cell has a number, perhaps with spaces around it.
bool has_number(std::string_view cell);

// Returns the strings of a list, or the string itself; empty for anything else and nullptr.
Strings strings_in(const Value* value);

// Returns what the training has recorded of a global that the task publishes, under the name that
// the experiment gives it; nullptr where it has not.
const Value* recorded_global(const experiment::TaskEntry& task, const plugin::Global& global,
                             const Value& recorded);

// Returns the columns that the training has read for a setting that means all of them: a global of
// the task has a list of this name, of tables with the `name` of a column. nullopt where none has.
std::optional<Strings> recorded_columns(const experiment::TaskEntry& task,
                                        const plugin::Component& component,
                                        const std::string& setting, const Value& recorded);

// Returns whether a task's setting names the samples with targets.
bool is_source(const plugin::Setting& setting);

// Returns whether a path of a task names its samples: not an optional one beside one that is
// required, as the table of the training.
bool has_samples(const plugin::Setting& setting, const std::vector<plugin::Setting>& declared);

}  // namespace ptp::pipeline
