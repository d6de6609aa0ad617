// TOML text to values. The only door to the TOML library.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// How deep values may lie within each other, the whole document being level 0. A tree within this
// can be written and read again.
inline constexpr int kMaxLevels = 32;

// `file` is the name to use in places. nullopt after reporting at least one problem: text that is
// not UTF-8 or not TOML, dates and times, nesting beyond 64 levels.
std::optional<Value> read_toml(std::string_view text, const std::string& file,
                               Diagnostics& problems);

// One value on its own, "0.1" or "[1, 2]"; nullopt if it is not a value. `place` is the location of
// its first character; what is within the value has a place of its own where `place` has a column.
std::optional<Value> read_toml_value(std::string_view text, const SourceLocation& place = {
                                                                std::string(kCommandLine), 0, 0});

}  // namespace ptp
