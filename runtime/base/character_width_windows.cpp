#include "base/character_width.hpp"

#include <algorithm>
#include <array>

namespace ptp {

namespace {

struct Characters {
    char32_t first;
    char32_t last;
};

// The blocks of Unicode whose characters are wide (Unicode Standard Annex 11), and those whose
// characters are drawn onto the character before.
constexpr std::array kWide = {
    Characters{0x1100, 0x115f},   Characters{0x2e80, 0x303e},   Characters{0x3041, 0x4dbf},
    Characters{0x4e00, 0xa4cf},   Characters{0xac00, 0xd7a3},   Characters{0xf900, 0xfaff},
    Characters{0xfe30, 0xfe6f},   Characters{0xff00, 0xff60},   Characters{0xffe0, 0xffe6},
    Characters{0x1f300, 0x1f64f}, Characters{0x1f900, 0x1f9ff}, Characters{0x20000, 0x3fffd}};
constexpr std::array kCombining = {Characters{0x0300, 0x036f}, Characters{0x1ab0, 0x1aff},
                                   Characters{0x1dc0, 0x1dff}, Characters{0x200b, 0x200f},
                                   Characters{0x20d0, 0x20ff}, Characters{0xfe00, 0xfe0f},
                                   Characters{0xfe20, 0xfe2f}};

bool is_one_of(const auto& blocks, char32_t character) {
    return std::ranges::any_of(blocks, [&](const Characters& block) {
        return character >= block.first && character <= block.last;
    });
}

}  // namespace

struct CharacterWidths::System {};  // Windows has no function for it

CharacterWidths::CharacterWidths() = default;
CharacterWidths::~CharacterWidths() = default;

int CharacterWidths::of(char32_t character) const {
    if (character < 0x20 || (character >= 0x7f && character < 0xa0)) {
        return -1;
    }
    if (is_one_of(kCombining, character)) {
        return 0;
    }
    return is_one_of(kWide, character) ? 2 : 1;
}

}  // namespace ptp
