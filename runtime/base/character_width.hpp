// The number of terminal columns that a character takes, as the system reports it.

#pragma once

#include <memory>

namespace ptp {

class CharacterWidths {
public:
    CharacterWidths();
    ~CharacterWidths();
    CharacterWidths(const CharacterWidths&) = delete;
    CharacterWidths& operator=(const CharacterWidths&) = delete;

    // Returns a negative number for a character that cannot be shown.
    [[nodiscard]] int of(char32_t character) const;

private:
    struct System;
    std::unique_ptr<System> system_;
};

}  // namespace ptp
