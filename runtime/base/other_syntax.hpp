// Recognizes values and comments as Python, JSON5 and C have them, in a document that should be
// TOML.

#pragma once

#include "base/explanation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptp {

// Explains what begins at `at` of a document: a tuple, or a comment after "//" or ";"; nullopt for
// anything else.
std::optional<Explanation> other_syntax(std::string_view text, std::size_t at);

// Returns the document with that in the form of TOML, without moving anything; nullopt where
// other_syntax() returns it, and for a comment on several lines. Booleans of Python, too.
std::optional<std::string> as_toml(std::string_view text, std::size_t at);

// Explains a table in braces around `at` that has several lines; nullopt if there is none.
std::optional<Explanation> table_on_lines(std::string_view text, std::size_t at);

}  // namespace ptp
