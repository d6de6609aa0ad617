#pragma once

namespace ptp {

// Returns whether `c` is one of 0 to 9, regardless of the locale.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace ptp
