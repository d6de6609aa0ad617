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
        return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
    };
    char* to = text.data();
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        for (std::size_t j = 0; j < 4 && i + j <= bytes.size(); ++j) {
            *to++ = kDigits[three >> (18U - 6U * j) & 63U];
        }
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
