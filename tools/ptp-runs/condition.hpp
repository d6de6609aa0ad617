// Conditions such as `--where lr<0.01` that select runs to list.

#pragma once

#include "ptp-runs/columns.hpp"
#include "run/run.hpp"

#include <string>
#include <variant>
#include <vector>

namespace ptp::runs {

enum class Comparison { kLess, kAtMost, kEqual, kNotEqual, kAtLeast, kMore };

struct Condition {
    Column column;
    Comparison comparison = Comparison::kEqual;
    Value value;
};

// The reason why a text is not a condition, for a person.
struct NoCondition {
    std::string why;
};

// Parses KEY, then one of < <= = != >= >, then a TOML value or plain text.
std::variant<Condition, NoCondition> read_condition(const std::string& text,
                                                    const std::vector<run::Run>& runs);

// Returns whether a run meets the condition; false without a value to compare. Tags are equal to
// each of the tags. Numbers are compared
// as numbers, texts by their characters; between a number and a text only != is true.
bool meets(const run::Run& run, const Condition& condition);

}  // namespace ptp::runs
