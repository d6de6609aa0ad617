// Writes values as TOML text.

#pragma once

#include "base/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ptp {

// Writes a whole document. Reading it returns an equal value, to the last digit of every real; the
// same value always produces the same text. REQUIRES: table.is_table().
std::string to_toml(const Value& table);

// Writes one value on one line: `0.5`, `"text"`, `[1, 2]`, `{ a = 1 }`.
std::string inline_toml(const Value& value);

// Returns inline_toml() for messages, cut at `most` bytes (never inside a character), then "...".
std::string short_text(const Value& value, std::size_t most = 60);

// Returns a key as written in TOML: bare if possible, quoted otherwise.
std::string toml_key(std::string_view key);

}  // namespace ptp
