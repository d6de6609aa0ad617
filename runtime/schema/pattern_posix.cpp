#include "schema/pattern.hpp"

#include <regex.h>

#include <memory>
#include <stdexcept>

namespace ptp::schema {

// regcomp() of the C library: each file that uses std::regex takes some 3 s longer to compile.
bool matches(const std::string& text, const std::string& pattern) {
    regex_t compiled = {};
    if (regcomp(&compiled, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
        throw std::logic_error("not a regular expression: " + pattern);
    }
    const std::unique_ptr<regex_t, void (*)(regex_t*)> freed(&compiled, &regfree);
    const bool is_whole = text.find('\0') == std::string::npos;  // the C library reads to there
    return is_whole && regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace ptp::schema
