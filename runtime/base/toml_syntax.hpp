// Explains syntax errors of TOML.

#pragma once

#include "base/explanation.hpp"

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

}  // namespace ptp
