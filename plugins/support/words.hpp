// Splits plain text into words, checks for UTF-8, and shows texts in messages.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptp::support {

constexpr bool is_ascii_space(unsigned char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1c && byte <= 0x1f);
}

// U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
inline constexpr std::array<std::string_view, 19> kWideSpaces{
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

// Returns the number of bytes of the white space at this position of a text in UTF-8; 0 if there is
// none. White space is as in Unicode, and U+001C to U+001F, as in Python's str.split().
inline std::size_t white_space_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(at < text.size() ? text[at] : '\0');
    if (first < 0x80) {
        return is_ascii_space(first) ? 1 : 0;
    }
    if (first != 0xc2 && (first < 0xe1 || first > 0xe3)) {
        return 0;
    }
    const std::string_view rest = text.substr(at);
    for (const std::string_view space : kWideSpaces) {
        if (rest.starts_with(space)) {
            return space.size();
        }
    }
    return 0;
}

// Calls add(std::string_view) with each word of a text in UTF-8, in order. Words are separated by
// white space.
template <class Add>
void for_each_word(std::string_view text, Add add) {
    std::size_t begin = 0;  // of the word that is read
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t space = white_space_at(text, at);
        if (space == 0) {
            ++at;
            continue;
        }
        if (at > begin) {
            add(text.substr(begin, at - begin));
        }
        at += space;
        begin = at;
    }
    if (at > begin) {
        add(text.substr(begin));
    }
}

// Returns whether a text in UTF-8 has a word.
inline bool has_words(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = white_space_at(text, at);
        if (space == 0) {
            return true;
        }
        at += space;
    }
    return false;
}

// Returns the position of the first byte that is not valid UTF-8; nullopt if there is none.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

// Returns "'a', 'b', 'c'", with `last` before the last name.
std::string quoted_names(std::span<const std::string> names, std::string_view last = ", ");

// Returns the text with "\\xE9" for a byte that is not valid UTF-8.
std::string shown_text(std::string_view text);

}  // namespace ptp::support
