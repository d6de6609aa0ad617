// Matches texts against patterns.

#pragma once

#include <string>

namespace ptp::schema {

// Returns whether the whole of `text` matches `pattern`, an extended regular expression of POSIX
// (regex(7)) that is also valid in ECMAScript, so that it can be used in a JSON Schema. Throws
// std::logic_error for an invalid regular expression.
bool matches(const std::string& text, const std::string& pattern);

}  // namespace ptp::schema
