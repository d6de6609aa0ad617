// Reads and applies the condition of --where.

#include "ptp-runs/columns.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <compare>
#include <string_view>

namespace ptp::runs {

using namespace run;

namespace {

struct Sign {
    std::string_view text;
    Comparison comparison;
};

constexpr Sign kSigns[] = {
    // longer ones first
    {"<=", Comparison::kAtMost}, {">=", Comparison::kAtLeast}, {"!=", Comparison::kNotEqual},
    {"==", Comparison::kEqual},  {"<", Comparison::kLess},     {">", Comparison::kMore},
    {"=", Comparison::kEqual},
};

std::partial_ordering order_of(const Value& left, const Value& right) {
    if (left.is_number() && right.is_number()) {
        return left.as_real() <=> right.as_real();
    }
    if (left.is_string() && right.is_string()) {
        return left.as_string() <=> right.as_string();
    }
    return left == right ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

// The parts of a condition such as "accuracy>abc".
struct Asked {
    std::string key;
    std::string_view sign;
    std::string value;
};

// Returns the value to compare with. If a column has only numbers, or only texts, in all runs, the
// value must match.
std::variant<Value, NoCondition> right_side(const Asked& asked, const Column& column,
                                            const std::vector<Run>& runs) {
    const Value value = read_toml_value(asked.value).value_or(Value(asked.value));
    bool are_numbers = false;
    bool are_texts = false;
    bool are_others = false;
    for (const Run& run : runs) {
        const auto cell = value_of(run, column);
        if (!cell) {
            continue;
        }
        are_numbers = are_numbers || cell->is_number();
        are_texts = are_texts || cell->is_string();
        are_others = are_others || !(cell->is_number() || cell->is_string());
    }
    if (are_numbers && !are_texts && !are_others && !value.is_number()) {
        return NoCondition{Explanation{
            fmt::format("{0}{1}{2}: must be a number, because {0} is one in all runs", asked.key,
                        asked.sign, inline_toml(value)),
            fmt::format("compare with a number, such as '{}{}0.5'", asked.key, asked.sign)}
                               .text()};
    }
    // In a column of texts, a value that looks like a number is a text.
    if (are_texts && !are_numbers && !are_others && !value.is_string()) {
        return Value(asked.value);
    }
    return value;
}

}  // namespace

std::variant<Condition, NoCondition> read_condition(const std::string& text,
                                                    const std::vector<Run>& runs) {
    const std::size_t at = text.find_first_of("<>=!");
    for (const Sign& sign : kSigns) {
        if (at == std::string::npos || at == 0 || !text.substr(at).starts_with(sign.text)) {
            continue;
        }
        const std::string value(trimmed(std::string_view(text).substr(at + sign.text.size())));
        if (value.empty()) {
            break;
        }
        const std::string key(trimmed(std::string_view(text).substr(0, at)));
        const auto column = find_column(key, runs);
        if (const auto* none = std::get_if<NoColumn>(&column)) {
            return NoCondition{none->why};
        }
        const auto right = right_side({key, sign.text, value}, std::get<Column>(column), runs);
        if (const auto* none = std::get_if<NoCondition>(&right)) {
            return *none;
        }
        return Condition{std::get<Column>(column), sign.comparison, std::get<Value>(right)};
    }
    const std::string key(trimmed(std::string_view(text).substr(0, at)));
    return NoCondition{Explanation{
        fmt::format("'{}' is not of the form KEY<VALUE (or <=, =, !=, >=, >)", text),
        key.empty() ? "" : fmt::format("--where '{}>0.5', with the value you mean", key)}
                           .text()};
}

bool meets(const Run& run, const Condition& condition) {
    const auto value = value_of(run, condition.column);
    if (!value) {
        return false;
    }
    const std::partial_ordering order = order_of(*value, condition.value);
    const bool is_tag = condition.column.source == Source::kTags && condition.value.is_string() &&
                        std::ranges::find(run.tags, condition.value.as_string()) != run.tags.end();
    const bool is_equal = order == 0 || is_tag;
    switch (condition.comparison) {
        case Comparison::kLess:
            return order < 0;
        case Comparison::kAtMost:
            return order <= 0;
        case Comparison::kEqual:
            return is_equal;
        case Comparison::kNotEqual:
            return !is_equal;
        case Comparison::kAtLeast:
            return order >= 0;
        case Comparison::kMore:
            return order > 0;
    }
    return false;
}

}  // namespace ptp::runs
