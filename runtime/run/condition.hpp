// `--where lr<0.01`: which runs to list.

#pragma once

#include "run/columns.hpp"
#include "run/run.hpp"

#include <string>
#include <variant>
#include <vector>

namespace ptp::run {

enum class Comparison { kLess, kAtMost, kEqual, kNotEqual, kAtLeast, kMore };

struct Condition {
    Column column;
    Comparison comparison = Comparison::kEqual;
    Value value;
};

// Why a text is not a condition, for a person.
struct NoCondition {
    std::string why;
};

// KEY, then one of < <= = != >= >, then a TOML value or plain text.
std::variant<Condition, NoCondition> read_condition(const std::string& text,
                                                    const std::vector<Run>& runs);

// A run that has nothing to compare meets no condition. Numbers are ordered as numbers, texts by
// their letters; between a number and a text only != holds.
bool meets(const Run& run, const Condition& condition);

}  // namespace ptp::run
