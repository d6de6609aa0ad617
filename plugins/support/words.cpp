// Checks UTF-8 with a table of the Unicode standard, and escapes bytes that are not UTF-8.

#include "words.hpp"

namespace ptp::support {

namespace {

// Unicode 15, table 3-7: the first byte determines the length and the range of the second byte.
struct Utf8Lead {
    unsigned first;  // up to and including this
    std::size_t length;
    unsigned second_min;
    unsigned second_max;
};

constexpr Utf8Lead kUtf8Leads[] = {
    {0x7f, 1, 0, 0},       {0xc1, 0, 0, 0},       {0xdf, 2, 0x80, 0xbf}, {0xe0, 3, 0xa0, 0xbf},
    {0xec, 3, 0x80, 0xbf}, {0xed, 3, 0x80, 0x9f}, {0xef, 3, 0x80, 0xbf}, {0xf0, 4, 0x90, 0xbf},
    {0xf3, 4, 0x80, 0xbf}, {0xf4, 4, 0x80, 0x8f}, {0xff, 0, 0, 0}};

// Returns the number of bytes of the first character of the text; 0 if it is not UTF-8.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const Utf8Lead* lead = kUtf8Leads;
    while (byte(0) > lead->first) {
        ++lead;
    }
    if (lead->length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < lead->length; ++i) {
        const unsigned min = i == 1 ? lead->second_min : 0x80;
        const unsigned max = i == 1 ? lead->second_max : 0xbf;
        if (byte(i) < min || byte(i) > max) {
            return 0;
        }
    }
    return lead->length;
}

}  // namespace

std::optional<std::size_t> invalid_utf8_at(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text.substr(at));
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return std::nullopt;
}

std::string quoted_names(std::span<const std::string> names, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += i == 0 ? "" : i + 1 == names.size() ? last : ", ";
        text += "'" + names[i] + "'";
    }
    return text;
}

std::string shown_text(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string shown;
    while (const auto at = invalid_utf8_at(text)) {
        const auto byte = static_cast<unsigned char>(text[*at]);
        shown.append(text.substr(0, *at));
        shown.append({'\\', 'x', kDigits[byte / 16U], kDigits[byte % 16U]});
        text.remove_prefix(*at + 1);
    }
    return shown.append(text);
}

}  // namespace ptp::support
