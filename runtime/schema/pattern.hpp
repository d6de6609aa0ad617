// Patterns of texts.

#pragma once

#include <string>

namespace ptp::schema {

// Whether the whole of `text` matches `pattern`, an extended regular expression of POSIX (regex(7))
// that is one of ECMAScript, too, so that it may stand in a JSON Schema. Throws std::logic_error
// where it is no regular expression.
bool matches(const std::string& text, const std::string& pattern);

}  // namespace ptp::schema
