// A JSON file of a run's folder, with the number of its format.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp::run {

// The object that `text` is; `file` is for errors. Throws NewerFormat for one of a format above
// `newest`, RunError with kDataError for what is not a JSON object, or lies deeper than kMaxLevels.
Value read_json_table(const std::string& text, const std::filesystem::path& file,
                      std::int64_t newest);

// The text of a file: indented, with a newline at its end; bytes that are not UTF-8 are replaced.
std::string json_text(const Value& table);

}  // namespace ptp::run
