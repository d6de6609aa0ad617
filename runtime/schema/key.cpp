// Describes in words what a key must be.

#include "schema/key.hpp"

#include "base/text.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>

#include <string_view>

namespace ptp::schema {

namespace {

struct Noun {
    std::string_view one;
    std::string_view many;
};

Noun noun_of(Form form) {
    switch (form) {
        case Form::kBool:
            return {"a boolean", "booleans"};
        case Form::kInteger:
            return {"an integer", "integers"};
        case Form::kReal:
            return {"a real", "reals"};
        case Form::kString:
            return {"a string", "strings"};
        case Form::kPath:
            return {"a path", "paths"};
        case Form::kDuration:
            return {"a span of time such as \"90m\" or \"1h30m\" (d, h, m, s)", "spans of time"};
        case Form::kIntegers:
            return {"a list of integers, a string of them, or the name of a file", ""};
        case Form::kReals:
            return {"a list of numbers, a string of them, or the name of a file", ""};
        case Form::kTable:
            return {"a table", "tables"};
        case Form::kAny:
            break;
    }
    return {"a value", "values"};
}

// Returns "2 " if a list must have exactly that many items.
std::string count_text(const std::string& length) {
    const auto range = Range::parse(length);
    return range && range->low() == range->high() ? fmt::format("{} ", range->low()) : "";
}

std::string derived_text(const Key& key) {
    const auto [one, many] = noun_of(key.form);
    std::string text(one);
    if (key.is_map) {
        text = fmt::format("a table of {}", many);
    }
    if (key.list_depth > 0) {
        text = "a list of " + count_text(key.length);
        for (std::uint32_t depth = 1; depth < key.list_depth; ++depth) {
            text += "lists of ";
        }
        text += many;
        if (key.takes_one) {
            text = fmt::format("{} or {}", one, text);
        }
    }
    if (const auto range = Range::parse(key.range)) {
        text += (range->special() ? ", " : " ") + range->words();
    } else if (!key.range.empty()) {
        text += " in " + key.range;
    }
    if (!key.choices.empty()) {
        text += fmt::format(", one of {}", join(key.choices, ", "));
    }
    return text;
}

}  // namespace

std::string expected_text(const Key& key) {
    std::string text = key.expected;
    if (text.empty()) {
        text = derived_text(key);
        for (const Key& other : key.or_else) {
            text += " or " + expected_text(other);
        }
    }
    return key.can_be_none ? text + ", or \"none\"" : text;
}

}  // namespace ptp::schema
