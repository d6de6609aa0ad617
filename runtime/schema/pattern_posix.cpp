// Compares texts with patterns by the regular expressions of POSIX.

#include "schema/pattern.hpp"

#include <regex.h>

#include <map>
#include <stdexcept>

namespace ptp::schema {

namespace {

// Wraps regcomp() of the C library: each file that uses std::regex takes some 3 s longer to
// compile.
class Pattern {
public:
    explicit Pattern(const std::string& pattern) {
        if (regcomp(&compiled_, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
            throw std::logic_error("not a regular expression: " + pattern);
        }
    }
    ~Pattern() { regfree(&compiled_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    bool matches(const std::string& text) const {
        return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

private:
    regex_t compiled_ = {};
};

}  // namespace

bool matches(const std::string& text, const std::string& pattern) {
    // Caches the patterns, which come from declarations: there are few, for very many texts.
    thread_local std::map<std::string, Pattern> known;
    const bool is_whole = text.find('\0') == std::string::npos;  // the C library stops there
    return is_whole && known.try_emplace(pattern, pattern).first->second.matches(text);
}

}  // namespace ptp::schema
