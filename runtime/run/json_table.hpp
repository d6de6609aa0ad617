// Reads and writes JSON files of a run's folder, which contain the number of their format.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::run {

// Parses the object in `text`; `file` is for errors. Throws NewerFormat for a format above
// `newest`, RunError with kDataError for anything but a JSON object, or for nesting beyond
// kMaxLevels.
Value read_json_table(const std::string& text, const std::filesystem::path& file,
                      std::int64_t newest);

// Returns the text of a file: indented, with a final newline; bytes that are not UTF-8 are
// replaced.
std::string json_text(const Value& table);

}  // namespace ptp::run
