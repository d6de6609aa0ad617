// Parses tables of JSON lines: an object in each line, with the members of the first.
#pragma once

#include "csv_text.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

// Returns whether the name of a file is that of JSON lines.
bool is_json_lines(const std::filesystem::path& file);

// The fix of a row with a problem.
inline constexpr const char* kFixOfJsonRow =
    "write an object with the members of the first one in each line, with null where there is no "
    "value";

// Reads row by row, as CsvText does: the names of the columns first, then the cells of each object.
class JsonText {
public:
    // REQUIRES: the text outlives the object.
    explicit JsonText(std::string_view text) : text_(text) {}

    // Returns nullopt at the end. A row with a problem, such as a line that is no object, has no
    // cells that count.
    std::optional<CsvRow> next();

private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::int64_t line_ = 0;  // the one before `at_`
    std::vector<std::string> columns_;
};

}  // namespace ptp::support
