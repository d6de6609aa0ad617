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

// The rows of a table as RFC 4180 has them. What breaks its rules is the task's to report.
class Rows {
public:
    Rows(std::string_view text, char separator);

    // Reads the cells of the next row that is not blank; returns false after the last.
    bool next(Strings& cells);

    // Returns the line, from 1, at which the row begins.
    [[nodiscard]] std::size_t line() const { return line_; }

private:
    std::string cell();

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  // of the row
    std::size_t line_ = 1;
};

// Returns the character that divides the cells of a file, by a setting of the task; nullopt for a
// file that is no text with separators.
std::optional<char> separator_of(const experiment::TaskEntry& task,
                                 const plugin::Component& component,
                                 const std::filesystem::path& file);

// Returns the strings of a list, or the string itself; empty for anything else and nullptr.
Strings strings_in(const Value* value);

// Returns whether a task's setting names the samples with targets.
bool is_source(const plugin::Setting& setting);

}  // namespace ptp::pipeline
