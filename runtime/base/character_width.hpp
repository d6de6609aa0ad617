// How many columns of a terminal a character takes, as the system knows it.

#pragma once

#include <memory>

namespace ptp {

class CharacterWidths {
public:
    CharacterWidths();
    ~CharacterWidths();
    CharacterWidths(const CharacterWidths&) = delete;
    CharacterWidths& operator=(const CharacterWidths&) = delete;

    // Negative for what cannot be shown.
    [[nodiscard]] int of(char32_t character) const;

private:
    struct System;
    std::unique_ptr<System> system_;
};

}  // namespace ptp
