#include "base/characters.hpp"

#include "base/character_width.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace ptp {

namespace {

constexpr std::size_t kTabWidth = 4;
constexpr const char* kReplacement = "\ufffd";

}  // namespace

std::vector<Character> characters_of(std::string_view line) {
    const CharacterWidths widths;
    std::vector<Character> characters;
    std::size_t column = 0;
    while (!line.empty()) {
        const std::size_t size = utf8_length(line);
        Character character{kReplacement, 1};
        if (line.front() == '\t') {
            character.width = kTabWidth - column % kTabWidth;
            character.shown = std::string(character.width, ' ');
        } else if (size > 0) {
            const std::string_view bytes = line.substr(0, size);
            const int width = widths.of(static_cast<char32_t>(utf8_code(bytes)));
            if (width >= 0 && !is_control(utf8_code(bytes))) {
                character = {std::string(bytes), static_cast<std::size_t>(width)};
            }
        }
        line.remove_prefix(size == 0 ? 1 : size);
        column += character.width;
        characters.push_back(std::move(character));
    }
    return characters;
}

std::string utf8_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        result += length == 0 ? std::string_view(kReplacement) : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string printable_text(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text.substr(at));
        const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
        const bool is_shown = character == "\n" || character == "\t" || is_one_line(character);
        result += length > 0 && is_shown ? character : std::string_view(kReplacement);
        at += character.size();
    }
    return result;
}

std::size_t display_width(std::string_view line) {
    std::size_t width = 0;
    for (const Character& character : characters_of(line)) {
        width += character.width;
    }
    return width;
}

std::string cut_to_width(std::string_view line, std::size_t width) {
    std::string kept;
    std::size_t used = 0;
    for (const Character& character : characters_of(line)) {
        used += character.width;
        if (used > width) {
            break;
        }
        kept += character.shown;
    }
    return kept;
}

}  // namespace ptp
