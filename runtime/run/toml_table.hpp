// A TOML file of a checkpoint, which begins with the number of its format.

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace ptp::run {

// The table in the text of a file, without the format number; `file` is for errors. Throws
// NewerFormat for a format above `newest`, RunError with kDataError and all that is wrong for what
// is not TOML.
Value toml_table_from(std::string_view text, const std::filesystem::path& file,
                      std::int64_t newest);

// A new file, on the disk. Throws RunError.
void write_toml_table(const std::filesystem::path& file, std::int64_t format, const Value& table);

}  // namespace ptp::run
