#include "base/character_width.hpp"

#include <clocale>
#include <cwchar>

namespace ptp {

// Looks widths up in the C library, in a UTF-8 locale. C.UTF-8 is built in; if it is missing, every
// character counts as one column.
struct CharacterWidths::System {
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    locale_t before{};
};

CharacterWidths::CharacterWidths() : system_(std::make_unique<System>()) {
    if (system_->locale != locale_t{}) {
        system_->before = uselocale(system_->locale);
    }
}

CharacterWidths::~CharacterWidths() {
    if (system_->locale != locale_t{}) {
        uselocale(system_->before);
        freelocale(system_->locale);
    }
}

int CharacterWidths::of(char32_t character) const {
    const bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    if (is_control) {
        return -1;
    }
    return system_->locale == locale_t{} || character < 0x80
               ? 1
               : wcwidth(static_cast<wchar_t>(character));
}

}  // namespace ptp
