// Parses numbers by std::from_chars, dates by the positions of their digits.

#include "cells.hpp"

#include <words.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace {

// Returns the number of the digits at these places; -1 if they are no digits.
int digits(std::string_view text, size_t begin, size_t count) {
    int number = 0;
    for (size_t i = begin; i < begin + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9') {
            return -1;
        }
        number = 10 * number + (text[i] - '0');
    }
    return number;
}

// Returns the hour of the day in "14:30" or "14:30:15"; nullopt for another text.
std::optional<double> hour_in(std::string_view text) {
    const bool has_seconds = text.size() == 8;
    if ((!has_seconds && text.size() != 5) || text[2] != ':' || (has_seconds && text[5] != ':')) {
        return std::nullopt;
    }
    const int hour = digits(text, 0, 2);
    const int minute = digits(text, 3, 2);
    const int second = has_seconds ? digits(text, 6, 2) : 0;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
        return std::nullopt;
    }
    return hour + minute / 60.0 + second / 3600.0;
}

}  // namespace

std::string_view trimmed(std::string_view cell) {
    while (!cell.empty() &&
           ptp::support::is_ascii_space(static_cast<unsigned char>(cell.front()))) {
        cell.remove_prefix(1);
    }
    while (!cell.empty() && ptp::support::is_ascii_space(static_cast<unsigned char>(cell.back()))) {
        cell.remove_suffix(1);
    }
    return cell;
}

std::optional<double> number_in(std::string_view cell) {
    std::string_view text = trimmed(cell);
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = !text.empty() && error == std::errc() &&
                           end == text.data() + text.size() &&
                           std::isfinite(static_cast<float>(number));
    return is_number ? std::optional(number) : std::nullopt;
}

bool is_too_large(std::string_view cell) {
    const std::string_view text = trimmed(cell);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_out_of_range = error == std::errc::result_out_of_range;
    return !text.empty() && end == text.data() + text.size() &&
           (is_out_of_range ||
            (std::isfinite(number) && !std::isfinite(static_cast<float>(number))));
}

bool is_infinite(std::string_view cell) {
    std::string_view text = trimmed(cell);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_inf = !text.empty() && error == std::errc() && end == text.data() + text.size() &&
                        std::isinf(number);
    return is_inf || is_too_large(text);
}

std::optional<DateParts> date_in(std::string_view cell) {
    std::string_view text = trimmed(cell);
    const int year = digits(text, 0, 4);
    const int month = digits(text, 5, 2);
    const int day = digits(text, 8, 2);
    if (year < 0 || month < 0 || day < 0 || text[4] != '-' || text[7] != '-') {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    double hour = 0;
    if (text.size() > 10) {
        const bool is_utc = text.ends_with('Z');
        const auto time = text[10] == 'T' || text[10] == ' '
                              ? hour_in(text.substr(11, text.size() - 11 - (is_utc ? 1 : 0)))
                              : std::nullopt;
        if (!time) {
            return std::nullopt;
        }
        hour = *time;
    }
    if (!date.ok()) {
        return std::nullopt;
    }
    const unsigned weekday = std::chrono::weekday(std::chrono::sys_days(date)).iso_encoding();
    return DateParts{static_cast<double>(year), static_cast<double>(month),
                     static_cast<double>(day), static_cast<double>(weekday), hour};
}

unsigned other_date_forms(std::string_view cell) {
    const std::string_view text = trimmed(cell);
    const std::string_view date = text.substr(0, text.find_first_of(" T"));
    const size_t first = date.find_first_of("./-");
    const size_t second = first == date.npos ? first : date.find(date[first], first + 1);
    if (second == date.npos || (date.size() < text.size() && text.find(':') == text.npos)) {
        return 0;
    }
    const std::string_view parts[] = {
        date.substr(0, first), date.substr(first + 1, second - first - 1), date.substr(second + 1)};
    const bool is_padded =
        std::ranges::all_of(parts, [](std::string_view part) { return part.size() == 2; });
    const auto is_date = [&](size_t year_at, size_t month_at, size_t day_at) {
        const std::string_view year = parts[year_at];
        // A short year needs two digits everywhere, or slashes: 10.4.12 may be a version.
        const bool is_short = year.size() == 2 && (date[first] == '/' || is_padded);
        const bool fits = (year.size() == 4 || is_short) && parts[month_at].size() <= 2 &&
                          parts[day_at].size() <= 2;
        const int number = digits(year, 0, year.size());
        const int month = digits(parts[month_at], 0, parts[month_at].size());
        const int day = digits(parts[day_at], 0, parts[day_at].size());
        return fits && month > 0 && day > 0 && (is_short || (number >= 1500 && number < 2200)) &&
               std::chrono::year_month_day{std::chrono::year(is_short ? 2000 + number : number),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))}
                   .ok();
    };
    return (is_date(2, 1, 0) ? 1U : 0U) | (is_date(2, 0, 1) ? 2U : 0U) |
           (is_date(0, 1, 2) ? 4U : 0U);
}

std::optional<std::vector<double>> list_in(std::string_view cell) {
    std::string_view text = trimmed(cell);
    const bool has_brackets = text.size() > 1 && text.front() == '[' && text.back() == ']';
    text = has_brackets ? text.substr(1, text.size() - 2) : text;
    const std::string_view separators = has_brackets ? " \t;," : " \t;";
    std::vector<double> numbers;
    while (!text.empty()) {
        const size_t begin = text.find_first_not_of(separators);
        if (begin == std::string_view::npos) {
            break;
        }
        text.remove_prefix(begin);
        const std::string_view one = text.substr(0, text.find_first_of(separators));
        const std::optional<double> number = number_in(one);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
        text.remove_prefix(one.size());
    }
    return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}
