// Decodes UTF-8, checks names, and makes text from outside safe to show.

#include "base/text.hpp"

#include <algorithm>
#include <cassert>

namespace ptp {

namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

// Returns the length of the UTF-8 sequence that begins with `first`, 0 if there is none.
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

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

// Returns whether a character may be encoded in `length` bytes. Overlong sequences of 2 bytes do
// not occur: sequence_length() accepts no first byte of one.
bool is_character(std::uint32_t code, std::size_t length) {
    const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return !is_overlong && !is_surrogate && code <= 0x10ffff;
}

}  // namespace

std::uint32_t utf8_code(std::string_view character) {
    assert(!character.empty());
    const auto first = static_cast<unsigned char>(character.front());
    std::uint32_t code = character.size() == 1 ? first : first & (0x7fu >> character.size());
    for (const char next : character.substr(1)) {
        code = (code << 6u) | (static_cast<unsigned char>(next) & 0x3fu);
    }
    return code;
}

std::size_t utf8_length(std::string_view text) {
    assert(!text.empty());
    const std::size_t length = sequence_length(static_cast<unsigned char>(text.front()));
    const std::string_view sequence = text.substr(0, length);
    const bool is_whole = length > 0 && length <= text.size() &&
                          std::ranges::all_of(sequence.substr(1), is_continuation);
    return is_whole && is_character(utf8_code(sequence), length) ? length : 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string utf8_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        result += length == 0 ? std::string_view("\ufffd") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const std::size_t begin = text.find_first_not_of(kSpace);
    const std::size_t end = text.find_last_not_of(kSpace);
    return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::string in_lower_case(std::string_view text) {
    std::string small(text);
    for (char& c : small) {
        c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return small;
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

bool is_control(std::uint32_t code) {
    const auto is_in = [code](std::uint32_t first, std::uint32_t last) {
        return code >= first && code <= last;
    };
    return code < 0x20 || is_in(0x7f, 0x9f) || code == 0x61c || is_in(0x2028, 0x202e) ||
           is_in(0x2066, 0x2069);
}

std::string harmless(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string result;
    result.reserve(text.size());
    const auto add_escape = [&](char kind, std::uint32_t number, unsigned digits) {
        result += '\\';
        result += kind;
        for (unsigned shift = 4 * digits; shift > 0; shift -= 4) {
            result += kDigits[(number >> (shift - 4)) & 0xfU];
        }
    };
    while (!text.empty()) {
        const std::size_t size = utf8_length(text);
        const std::uint32_t code = size == 0 ? 0 : utf8_code(text.substr(0, size));
        if (size == 0) {
            add_escape('x', static_cast<unsigned char>(text.front()), 2);
        } else if (is_control(code) && code != '\n' && code != '\t') {
            add_escape('u', code, 4);
        } else {
            result += text.substr(0, size);
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

namespace {

bool has_control(std::string_view text, std::string_view allowed) {
    while (!text.empty()) {
        const std::size_t size = std::max<std::size_t>(utf8_length(text), 1);
        const std::string_view character = text.substr(0, size);
        if (is_control(utf8_code(character)) && allowed.find(character) == allowed.npos) {
            return true;
        }
        text.remove_prefix(size);
    }
    return false;
}

}  // namespace

bool is_one_line(std::string_view text) {
    return !has_control(text, "");
}

bool is_plain(std::string_view text) {
    return !has_control(text, "\n\t");
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_file_name(std::string_view text) {
    constexpr std::string_view kForbidden("/\0", 2);
    return !text.empty() && text != "." && text != ".." &&
           text.find_first_of(kForbidden) == std::string_view::npos;
}

bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(' '), list.size());
        if (list.substr(0, end) == word) {
            return true;
        }
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

std::string csv_cell(std::string_view text) {
    if (!is_utf8(text)) {
        return csv_cell(utf8_text(text));
    }
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string shell_word(const std::string& text) {
    const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("._=+-/:,@%").find(c) != std::string_view::npos;
    });
    if (is_plain) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace ptp
