// Encodes bytes as text that every format preserves: base64 of RFC 4648, with padding.
#pragma once

#include <ptp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::detail {

inline constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? kBase64[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return text;
}

// Throws ConfigError for a text that to_base64() does not produce.
inline std::vector<std::byte> from_base64(std::string_view text) {
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    std::size_t count = 0;
    const std::string_view digits = text.substr(0, text.find('='));
    for (const char c : digits) {
        const std::size_t digit = kBase64.find(c);
        if (digit == std::string_view::npos) {
            throw ConfigError("expected base64, found '", c, "'");
        }
        group = group << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::byte>(group >> count & 255));
        }
    }
    if (to_base64(bytes) != text) {
        throw ConfigError("expected base64, found text that is cut off or padded wrongly");
    }
    return bytes;
}

}  // namespace ptp::detail
