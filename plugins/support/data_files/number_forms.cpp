// Takes signs and separators of thousands off a number.

#include "number_forms.hpp"

#include <words.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace ptp::support {

namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 11> kSigns = {
    "$", "\u20AC", "\u00A3", "\u00A5", "%", "EUR", "USD", "GBP", "JPY", "CHF", " "};

bool is_plain_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool begins =
        !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    return begins && error == std::errc() && end == text.data() + text.size();
}

// Takes the signs off both ends.
void take_signs(std::string_view& text, Words& taken) {
    for (bool is_found = true; is_found;) {
        is_found = false;
        for (const std::string_view sign : kSigns) {
            const bool is_first = text.starts_with(sign);
            if (!is_first && !text.ends_with(sign)) {
                continue;
            }
            text = is_first ? text.substr(sign.size()) : text.substr(0, text.size() - sign.size());
            if (sign != " " && std::ranges::find(taken, sign) == taken.end()) {
                taken.emplace_back(sign);
            }
            is_found = true;
        }
    }
}

// Returns whether the separator divides the digits into groups of three, "1,234,567.8"; `end` is
// where they end.
bool groups_by_three(std::string_view text, char separator, std::size_t end) {
    const std::size_t first = text.find(separator);
    const std::size_t begin = text.starts_with('-') ? 1 : 0;
    if (first >= end || first == begin || first - begin > 3 || text[begin] == '0') {
        return false;
    }
    for (std::size_t at = first; at < end; at += 4) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        if (text[at] != separator || at + 4 > end ||
            !std::ranges::all_of(text.substr(at + 1, 3), is_digit)) {
            return false;
        }
    }
    return true;
}

// Returns the separator of thousands; 0 if there is none. 1.234 is a number itself.
char separator_of_thousands(std::string_view text) {
    for (const char separator : {',', '.', '\'', ' '}) {
        const bool is_point = separator == '.';
        const std::size_t end = std::min(text.rfind(is_point ? ',' : '.'), text.size());
        const std::size_t comma = separator == ' ' || separator == '\'' ? text.rfind(',') : end;
        const bool is_single = is_point && std::ranges::count(text, '.') < 2 && end == text.size();
        if (!is_single && groups_by_three(text, separator, std::min(end, comma))) {
            return separator;
        }
    }
    return 0;
}

// Returns the text with a space for each one that does not break.
std::string with_spaces(std::string_view cell) {
    std::string text(cell);
    for (const std::string_view space : {"\u00A0", "\u202F"}) {
        for (std::size_t at = 0; (at = text.find(space, at)) != std::string::npos;) {
            text.replace(at, space.size(), " ");
        }
    }
    return text;
}

}  // namespace

std::string OtherNumber::advice() const {
    const std::string other =
        as_comma.empty() ? "" : " (or " + as_comma + ", if the comma is a decimal one)";
    return "write " + text + ", " + how + other;
}

OtherNumber other_number(std::string_view cell) {
    Words taken;
    const std::string spaced = with_spaces(cell);
    std::string_view rest = spaced;
    take_signs(rest, taken);
    const bool is_negative = rest.starts_with('-');
    rest.remove_prefix(is_negative ? 1 : 0);
    take_signs(rest, taken);
    const std::string text = (is_negative ? "-" : "") + std::string(rest);
    OtherNumber other;
    if (is_plain_number(text)) {
        return taken.empty() ? OtherNumber{}
                             : OtherNumber{text, "without " + quoted_names(taken, " and ")};
    }
    const bool is_one_comma =
        std::ranges::count(text, ',') == 1 && text.find('.') == std::string::npos;
    std::string with_point = text;
    std::ranges::replace(with_point, ',', '.');
    if (const char separator = separator_of_thousands(text); separator != 0) {
        other.text = text;
        std::erase(other.text, separator);
        std::ranges::replace(other.text, ',', '.');
        other.as_comma = is_one_comma && separator == ',' ? with_point : "";
        taken.emplace_back(1, separator);
        other.how = "without " + quoted_names(taken, " and ");
    } else if (is_one_comma) {
        other.text = with_point;
        other.has_comma = taken.empty();
        other.how = other.has_comma ? "with a point"
                                    : "with a point and without " + quoted_names(taken, " and ");
    }
    return is_plain_number(other.text) ? other : OtherNumber{};
}

}  // namespace ptp::support
