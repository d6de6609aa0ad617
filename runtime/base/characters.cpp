// Measures text in columns of a terminal, by tables of Unicode rather than by the system's locale,
// so that a message looks the same on every machine.

#include "base/characters.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ptp {

namespace {

constexpr std::size_t kTabWidth = 4;
constexpr const char* kReplacement = "\ufffd";

struct Block {
    std::uint32_t first;
    std::uint32_t last;
};

// The blocks of characters that take two columns (Unicode Standard Annex 11).
constexpr std::array kWide = {
    Block{0x1100, 0x115f},   Block{0x2e80, 0x303e},   Block{0x3041, 0x4dbf},
    Block{0x4e00, 0xa4cf},   Block{0xac00, 0xd7a3},   Block{0xf900, 0xfaff},
    Block{0xfe30, 0xfe6f},   Block{0xff00, 0xff60},   Block{0xffe0, 0xffe6},
    Block{0x1f300, 0x1f64f}, Block{0x1f680, 0x1f6ff}, Block{0x1f900, 0x1f9ff},
    Block{0x20000, 0x3fffd}};

// The blocks of characters that are drawn onto the character before them.
constexpr std::array kCombining = {
    Block{0x0300, 0x036f}, Block{0x0483, 0x0489}, Block{0x0591, 0x05bd}, Block{0x0610, 0x061a},
    Block{0x064b, 0x065f}, Block{0x0900, 0x0902}, Block{0x0941, 0x0948}, Block{0x094d, 0x094d},
    Block{0x0e34, 0x0e3a}, Block{0x0e47, 0x0e4e}, Block{0x1160, 0x11ff}, Block{0x1ab0, 0x1aff},
    Block{0x1dc0, 0x1dff}, Block{0x200b, 0x200f}, Block{0x20d0, 0x20ff}, Block{0xfe00, 0xfe0f},
    Block{0xfe20, 0xfe2f}};

bool is_in(const auto& blocks, std::uint32_t code) {
    return std::ranges::any_of(
        blocks, [&](const Block& block) { return code >= block.first && code <= block.last; });
}

std::size_t columns_of(std::uint32_t code) {
    return is_in(kCombining, code) ? 0 : is_in(kWide, code) ? 2 : 1;
}

}  // namespace

std::vector<Character> characters_of(std::string_view line) {
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
            if (!is_control(utf8_code(bytes))) {
                character = {std::string(bytes), columns_of(utf8_code(bytes))};
            }
        }
        line.remove_prefix(size == 0 ? 1 : size);
        column += character.width;
        characters.push_back(std::move(character));
    }
    return characters;
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
