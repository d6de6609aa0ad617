// Reads and writes TOML files of a checkpoint, which begin with the number of their format.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace ptp::run {

// Returns the table in the text of a file, without the format number; `file` is for errors. Throws
// NewerFormat for a format above `newest`, RunError with kDataError and all errors for text that is
// not TOML.
Value toml_table_from(std::string_view text, const std::filesystem::path& file,
                      std::int64_t newest);

// Creates a file and flushes it to disk. Throws RunError.
void write_toml_table(const std::filesystem::path& file, std::int64_t format, const Value& table);

}  // namespace ptp::run
