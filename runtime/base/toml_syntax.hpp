// Explains syntax errors of TOML.

#pragma once

#include "base/explanation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

// Removes what a value of the key cannot mean, as TOML text, if that is known.
using ValueChoice = void (*)(const std::string& key, std::vector<std::string>& meanings);

struct SyntaxError {
    std::string_view text;         // the document
    std::string_view description;  // by the library
    int line = 1;
};

// Returns what the error is about, and moves `column`, where it was found, to the place of that.
// `choice` may be nullptr.
Explanation explained_syntax(const SyntaxError& error, int& column, ValueChoice choice);

// Returns the document with what the error is about in the form of TOML, where it is what another
// language has; nothing else is moved. `column` is where the library found the error.
std::optional<std::string> repaired_syntax(const SyntaxError& error, int column);

// Used by explained_syntax(), for values and comments as Python, JSON5 and C have them; defined in
// other_syntax.cpp.

// Explains what begins at `at` of a document: a tuple, or a comment after "//" or ";"; nullopt for
// anything else.
std::optional<Explanation> other_syntax(std::string_view text, std::size_t at);

// Explains a table in braces around `at` that has several lines; nullopt if there is none.
std::optional<Explanation> table_on_lines(std::string_view text, std::size_t at);

// Returns the document with what begins at `at` in the form of TOML, without moving anything;
// nullopt where other_syntax() returns it, and for a comment on several lines. Booleans of Python,
// too.
std::optional<std::string> as_toml(std::string_view text, std::size_t at);

}  // namespace ptp
