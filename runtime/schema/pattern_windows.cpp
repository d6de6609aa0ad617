// Compares texts with patterns where there are no regular expressions of POSIX.

#include "schema/pattern.hpp"

#include <regex>
#include <stdexcept>

namespace ptp::schema {

// Uses std::regex, because Windows' C library has no regcomp().
bool matches(const std::string& text, const std::string& pattern) {
    try {
        return std::regex_match(text, std::regex(pattern, std::regex::extended));
    } catch (const std::regex_error&) {
        throw std::logic_error("not a regular expression: " + pattern);
    }
}

}  // namespace ptp::schema
