// Words of plain text: what separates them, and whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ptp::support {

// How many bytes the white space has that is at this place of a text in UTF-8; 0 if none is there.
// White space is what Unicode calls so, and U+001C to U+001F, as in Python's str.split().
inline std::size_t white_space_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at);
    if (first < 0x80) {
        const bool is_space =
            first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1c && first <= 0x1f);
        return is_space && at < text.size() ? 1 : 0;
    }
    const unsigned second = byte(at + 1);
    const unsigned third = byte(at + 2);
    switch (first) {
        case 0xc2:  // U+0085, U+00A0
            return second == 0x85 || second == 0xa0 ? 2 : 0;
        case 0xe1:  // U+1680
            return second == 0x9a && third == 0x80 ? 3 : 0;
        case 0xe2:  // U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F
            return (second == 0x80 && ((third >= 0x80 && third <= 0x8a) || third == 0xa8 ||
                                       third == 0xa9 || third == 0xaf)) ||
                           (second == 0x81 && third == 0x9f)
                       ? 3
                       : 0;
        case 0xe3:  // U+3000
            return second == 0x80 && third == 0x80 ? 3 : 0;
        default:
            return 0;
    }
}

// Calls add(std::string_view) with each word of a text in UTF-8, in order: what is between white
// space.
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

// Where the first byte is that does not belong to valid UTF-8; nothing if all do.
std::optional<std::size_t> invalid_utf8_at(std::string_view text);

}  // namespace ptp::support
