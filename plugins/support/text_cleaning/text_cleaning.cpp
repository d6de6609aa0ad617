// Cleans ASCII text with a table, and all other text with ICU, the library for Unicode.

#include "text_cleaning.hpp"

#include "words.hpp"

#include <ptp/error.hpp>

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>

namespace ptp::support {

namespace {

constexpr int16_t kNothing = -1;

bool is_ascii_punctuation(int32_t c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

bool is_punctuation(UChar32 c) {
    return is_ascii_punctuation(c) || (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

// Returns the next character. REQUIRES: the text is UTF-8.
UChar32 next_character(std::string_view text, int32_t& at) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    const auto length = static_cast<int32_t>(text.size());
    UChar32 c = 0;
    U8_NEXT(bytes, at, length, c);
    return c;
}

std::vector<int32_t> code_points(std::string_view text) {
    std::vector<int32_t> points;
    for (int32_t at = 0; at < static_cast<int32_t>(text.size());) {
        points.push_back(next_character(text, at));
    }
    std::sort(points.begin(), points.end());
    return points;
}

std::string lowered(const UCaseMap* map, std::string_view text) {
    std::string result(text.size() + 16, '\0');
    for (;;) {
        UErrorCode error = U_ZERO_ERROR;
        const int32_t size =
            ucasemap_utf8ToLower(map, result.data(), static_cast<int32_t>(result.size()),
                                 text.data(), static_cast<int32_t>(text.size()), &error);
        if (error == U_BUFFER_OVERFLOW_ERROR) {
            result.resize(static_cast<size_t>(size) + 1);
            continue;
        }
        if (U_FAILURE(error)) {
            throw SystemError("ICU cannot make a text lower-case: ", u_errorName(error));
        }
        result.resize(static_cast<size_t>(size));
        return result;
    }
}

}  // namespace

TextCleaner::TextCleaner(const CleaningOptions& options)
    : options_(options), removed_(code_points(options.removed_characters)) {
    for (int32_t c = 0; c < static_cast<int32_t>(ascii_.size()); ++c) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        const int32_t made = options.has_lowercase && is_capital ? c + ('a' - 'A') : c;
        const bool is_space = std::binary_search(removed_.begin(), removed_.end(), made);
        const bool is_dropped = options.has_punctuation_removed && is_ascii_punctuation(made);
        const int32_t kept = is_dropped ? kNothing : made;
        ascii_[static_cast<size_t>(c)] = static_cast<int16_t>(is_space ? ' ' : kept);
    }
    UErrorCode error = U_ZERO_ERROR;
    case_map_ = ucasemap_open("", 0, &error);
    if (U_FAILURE(error)) {
        throw SystemError("ICU cannot be used: ", u_errorName(error));
    }
}

TextCleaner::~TextCleaner() {
    ucasemap_close(case_map_);
}

bool TextCleaner::clean(std::string_view text, std::string& cleaned) const {
    if (clean_ascii(text, cleaned)) {
        return true;
    }
    if (invalid_utf8_at(text)) {
        return false;
    }
    clean_unicode(text, cleaned);
    return true;
}

// Returns false if the text has characters other than ASCII.
bool TextCleaner::clean_ascii(std::string_view text, std::string& cleaned) const {
    cleaned.clear();
    for (const char byte : text) {
        const auto c = static_cast<unsigned char>(byte);
        if (c >= ascii_.size()) {
            return false;
        }
        const int16_t made = ascii_[c];
        if (made != kNothing) {
            cleaned += static_cast<char>(made);
        }
    }
    return true;
}

void TextCleaner::clean_unicode(std::string_view text, std::string& cleaned) const {
    const std::string lower = options_.has_lowercase ? lowered(case_map_, text) : std::string(text);
    cleaned.clear();
    for (int32_t at = 0; at < static_cast<int32_t>(lower.size());) {
        const int32_t begin = at;
        const UChar32 c = next_character(lower, at);
        if (std::binary_search(removed_.begin(), removed_.end(), c)) {
            cleaned += ' ';
        } else if (!options_.has_punctuation_removed || !is_punctuation(c)) {
            cleaned.append(lower, static_cast<size_t>(begin), static_cast<size_t>(at - begin));
        }
    }
}

}  // namespace ptp::support
