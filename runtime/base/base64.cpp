// Turns each three bytes into four digits.

#include "base/base64.hpp"

#include <cstdint>

namespace ptp {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '=');
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return static_cast<std::uint8_t>(bytes[i]);
    };
    char* to = text.data();
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3, to += 4) {
        const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        to[0] = kDigits[three >> 18U];
        to[1] = kDigits[three >> 12U & 63U];
        to[2] = kDigits[three >> 6U & 63U];
        to[3] = kDigits[three & 63U];
    }
    if (i < bytes.size()) {  // one byte is two digits, two bytes are three
        const bool are_two = i + 2 == bytes.size();
        const std::uint32_t three = byte(i) << 16U | (are_two ? byte(i + 1) << 8U : 0U);
        to[0] = kDigits[three >> 18U];
        to[1] = kDigits[three >> 12U & 63U];
        to[2] = are_two ? kDigits[three >> 6U & 63U] : '=';
    }
    return text;
}

bool is_base64(std::string_view text, std::size_t bytes) {
    const std::size_t padding = (3 - bytes % 3) % 3;
    if (text.size() != (bytes + padding) / 3 * 4) {
        return false;
    }
    const std::size_t digits = text.size() - padding;
    return text.substr(0, digits).find_first_not_of(kDigits) == std::string_view::npos &&
           text.substr(digits).find_first_not_of('=') == std::string_view::npos;
}

}  // namespace ptp
