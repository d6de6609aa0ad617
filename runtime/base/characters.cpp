#include "base/characters.hpp"

#include "base/text.hpp"

#include <clocale>
#include <cwchar>

namespace ptp {

namespace {

constexpr std::size_t kTabWidth = 4;
constexpr const char* kReplacement = "\ufffd";

// The C library knows how wide characters are, in a locale with UTF-8. This one is built in; where
// it is not, every character counts as one column.
class Utf8Locale {
public:
    Utf8Locale() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{})) {
        if (locale_ != locale_t{}) {
            before_ = uselocale(locale_);
        }
    }
    ~Utf8Locale() {
        if (locale_ != locale_t{}) {
            uselocale(before_);
            freelocale(locale_);
        }
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

    // Negative for what cannot be shown.
    [[nodiscard]] int width_of(wchar_t character) const {
        const bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
        if (is_control) {
            return -1;
        }
        return locale_ == locale_t{} || character < 0x80 ? 1 : wcwidth(character);
    }

private:
    locale_t locale_;
    locale_t before_{};
};

}  // namespace

std::vector<Character> characters_of(std::string_view line) {
    const Utf8Locale locale;
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
            const int width = locale.width_of(static_cast<wchar_t>(utf8_code(bytes)));
            if (width >= 0) {
                character = {std::string(bytes), static_cast<std::size_t>(width)};
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
