// A font of 5 x 7 pixels for short captions: the printable characters of ASCII.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ptp::support {

inline constexpr int64_t kGlyphWidth = 5;
inline constexpr int64_t kGlyphHeight = 7;
inline constexpr int64_t kGlyphAdvance = kGlyphWidth + 1;  // from one glyph to the next

// Five columns from left to right; the lowest bit of each is the top pixel.
using Glyph = std::array<uint8_t, kGlyphWidth>;

// Returns the glyph of the first character and removes it from the text. A character that is not in
// the font, such as a letter with an accent in UTF-8, is a box.
Glyph next_glyph(std::string_view& text);

// Returns the number of glyphs of a text.
int64_t glyph_count(std::string_view text);

}  // namespace ptp::support
