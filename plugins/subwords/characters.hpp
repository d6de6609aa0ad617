// The characters of a text in UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace subwords {

struct Character {
    std::int32_t code = 0;  // U+FFFD for bytes that are not UTF-8
    std::size_t begin = 0;  // its first byte
    std::size_t end = 0;
};

std::vector<Character> characters_of(std::string_view text);

// Appends the character in UTF-8.
void append(std::int32_t code, std::string& text);

// Returns the text with U+FFFD for each part that is not UTF-8, as Python's errors="replace".
std::string repaired(std::string_view text);

// Calls use(part, is_control) with the parts of a text: those that are one of `controls`, and what
// is between them.
template <class Use>
void for_each_part(std::string_view text, const std::vector<std::string>& controls, Use use) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 0;
        for (const std::string& control : controls) {
            length = text.substr(at).starts_with(control) ? control.size() : length;
        }
        if (length == 0) {
            ++at;
            continue;
        }
        if (at > begin) {
            use(text.substr(begin, at - begin), false);
        }
        use(text.substr(at, length), true);
        at += length;
        begin = at;
    }
    if (begin < text.size()) {
        use(text.substr(begin), false);
    }
}

}  // namespace subwords
