#include "plugin/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ptp::plugin {

namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Bytes of the UTF-8 sequence that begins with `first`, 0 if none does.
std::size_t sequence_length(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        return 3;
    }
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t length = sequence_length(first);
        if (length == 0 || length > text.size() - i) {
            return false;
        }
        std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xc0u) != 0x80u) {
                return false;
            }
            code = (code << 6u) | (next & 0x3fu);
        }
        const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        const bool is_surrogate = code >= 0xd800 && code < 0xe000;
        if (is_overlong || is_surrogate || code > 0x10ffff) {
            return false;
        }
        i += length;
    }
    return true;
}

bool is_snake_case(std::string_view text) {
    const auto may_follow = [](char c) { return is_lower(c) || is_digit(c) || c == '_'; };
    return !text.empty() && is_lower(text.front()) && std::ranges::all_of(text, may_follow);
}

bool is_type_name(std::string_view text) {
    const auto is_letter = [](char c) { return is_lower(c) || is_upper(c); };
    const auto may_follow = [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, may_follow);
}

bool is_one_line(std::string_view text) {
    return std::ranges::none_of(text, is_control);
}

bool is_plain(std::string_view text) {
    return std::ranges::none_of(text,
                                [](char c) { return is_control(c) && c != '\n' && c != '\t'; });
}

}  // namespace ptp::plugin
