#include "yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace ptp::importer {

namespace {

constexpr std::array<std::string_view, 9> kTrue = {"yes",  "Yes", "YES", "true", "True",
                                                   "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"no",    "No",  "NO",  "false", "False",
                                                    "FALSE", "off", "Off", "OFF"};

constexpr int kHexadecimal = 16;
constexpr int kOctal = 8;

bool is_among(std::string_view text, const std::array<std::string_view, 9>& words) {
    return !text.empty() && std::ranges::find(words, text) != words.end();
}

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

// Parses the digits after the sign and the prefix, without '_'.
std::optional<std::int64_t> integer_with_base(std::string digits, bool is_negative, int base) {
    std::erase(digits, '_');
    digits.insert(0, is_negative ? "-" : "");
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number, base);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    return is_number ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text.empty() || !is_decimal(text.front())) {
        return std::nullopt;
    }
    if (text.starts_with("0x") || text.starts_with("0b")) {
        const int base = text[1] == 'x' ? kHexadecimal : 2;
        return integer_with_base(std::string(text.substr(2)), is_negative, base);
    }
    const bool is_octal = text.size() > 1 && text.front() == '0';
    return integer_with_base(std::string(text), is_negative, is_octal ? kOctal : 10);
}

std::optional<double> special_real(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text == ".inf" || text == ".Inf" || text == ".INF") {
        const double infinity = std::numeric_limits<double>::infinity();
        return is_negative ? -infinity : infinity;
    }
    const bool is_nan = text == ".nan" || text == ".NaN" || text == ".NAN";
    return is_nan ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
}

std::optional<double> real_of(std::string text) {
    const auto is_part = [](char c) {
        return is_decimal(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' ||
               c == '_';
    };
    const bool has_mark = text.find_first_of(".eE") != std::string::npos;
    if (!has_mark || !std::ranges::all_of(text, is_part) ||
        !std::ranges::any_of(text, is_decimal)) {
        return special_real(text);
    }
    std::erase(text, '_');
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    double number = 0;
    const auto read = std::from_chars(begin, end, number);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

bool is_null_scalar(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

Value plain_scalar(const std::string& text) {
    if (is_among(text, kTrue)) {
        return true;
    }
    if (is_among(text, kFalse)) {
        return false;
    }
    if (const auto integer = integer_of(text)) {
        return *integer;
    }
    if (const auto real = real_of(text)) {
        return *real;
    }
    return text;
}

}  // namespace ptp::importer
