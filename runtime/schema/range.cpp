// Reads, compares and writes intervals.

#include "schema/range.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ptp::schema {

namespace {

constexpr std::string_view kOr = " or ";

std::optional<double> number(std::string_view text) {
    text = trimmed(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Range> Range::parse(std::string_view text) {
    const std::string_view whole = trimmed(text);
    if (const std::size_t at = whole.find(kOr); at != std::string_view::npos) {
        const auto special = number(whole.substr(0, at));
        auto range = parse(whole.substr(at + kOr.size()));
        if (!special || !range || range->special_ || !(*special < range->low_)) {
            return std::nullopt;
        }
        range->special_ = special;
        range->text_ = whole;
        return range;
    }
    if (whole.size() < 2) {
        return std::nullopt;
    }
    const char open = whole.front();
    const char close = whole.back();
    if ((open != '[' && open != '(') || (close != ']' && close != ')')) {
        return std::nullopt;
    }
    const std::string_view inside = whole.substr(1, whole.size() - 2);
    const std::size_t comma = inside.find(',');
    if (comma == std::string_view::npos) {
        return std::nullopt;
    }
    const auto low = number(inside.substr(0, comma));
    const auto high = number(inside.substr(comma + 1));
    if (!low || !high) {
        return std::nullopt;
    }
    Range range;
    range.low_ = *low;
    range.high_ = *high;
    range.includes_low_ = open == '[';
    range.includes_high_ = close == ']';
    range.text_ = whole;
    const bool is_point = *low == *high && range.includes_low_ && range.includes_high_;
    if (!(*low < *high) && !is_point) {
        return std::nullopt;
    }
    return range;
}

bool Range::contains(double value) const {
    const bool is_within = (includes_low_ ? value >= low_ : value > low_) &&
                           (includes_high_ ? value <= high_ : value < high_);
    return is_within || special_ == value;
}

std::string Range::words() const {
    const std::size_t interval = special_ ? text_.find(kOr) + kOr.size() : 0;
    return text_.substr(0, interval) + "in " + text_.substr(interval);
}

std::string Range::items() const {
    double low = std::max(0.0, std::ceil(low_));
    double high = std::floor(high_);
    low += contains(low) ? 0 : 1;
    high -= contains(high) || std::isinf(high) ? 0 : 1;
    const auto items = [](double count) { return count == 1 ? "item" : "items"; };
    if (!std::isfinite(high)) {
        return fmt::format("at least {} {}", low, items(low));
    }
    if (low == high) {
        return fmt::format("{} {}", high, items(high));
    }
    if (low <= 0) {
        return fmt::format("at most {} {}", high, items(high));
    }
    return fmt::format("{} to {} items", low, high);
}

}  // namespace ptp::schema
