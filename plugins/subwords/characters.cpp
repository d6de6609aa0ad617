// Decodes by ICU's macros.

#include "characters.hpp"

#include <unicode/utf8.h>

namespace subwords {

std::vector<Character> characters_of(std::string_view text) {
    std::vector<Character> all;
    const auto length = static_cast<std::int32_t>(text.size());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    for (std::int32_t at = 0; at < length;) {
        const std::int32_t begin = at;
        UChar32 code = 0;
        U8_NEXT_OR_FFFD(bytes, at, length, code);
        all.push_back({code, static_cast<std::size_t>(begin), static_cast<std::size_t>(at)});
    }
    return all;
}

void append(std::int32_t code, std::string& text) {
    std::uint8_t bytes[U8_MAX_LENGTH];
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, code);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::string repaired(std::string_view text) {
    std::string result;
    for (const Character& character : characters_of(text)) {
        append(character.code, result);
    }
    return result;
}

}  // namespace subwords
