// Parses TOML text into values. Only this module uses the TOML library.

#pragma once

#include "base/diagnostics.hpp"
#include "base/toml_syntax.hpp"
#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// The maximum nesting of values, the whole document being level 0. A tree within this limit can be
// written and read again.
inline constexpr int kMaxLevels = 32;

// Reads a document; `file` is its name in places. Returns nullopt after reporting at least one
// problem: text that is not UTF-8 or not TOML, dates and times, nesting beyond 64 levels. `choice`
// chooses what advice proposes where a value may mean several; with it, what is as other languages
// have it is reported, and read as what it means, so that what is wrong besides is reported, too.
std::optional<Value> read_toml(std::string_view text, const std::string& file,
                               Diagnostics& problems, ValueChoice choice = nullptr);

// Reads a single value, "0.1" or "[1, 2]"; returns nullopt if it is not a value. `place` is the
// location of its first character; nested values have their own places if `place` has a column.
std::optional<Value> read_toml_value(std::string_view text, const SourceLocation& place = {
                                                                std::string(kCommandLine), 0, 0});

}  // namespace ptp
