// The meanings of ports' numbers, as `meaning` in ptp/declarations.h declares them, and whether
// inputs take the numbers that flow into them.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// "scores|values if mode = Dense": what holds under a condition.
struct MeaningClause {
    std::vector<std::string> words;
    Condition condition;
};

// The first clause counts whose condition holds. Throws ExpressionError.
std::vector<MeaningClause> parse_meaning(std::string_view text);

// Returns whether it is one of the words of ptp/declarations.h.
bool is_meaning(std::string_view word);

// Reports inputs that do not take what their stream carries, such as a loss over raw scores behind
// a log-softmax. `order` is the order of execution. What no port declares is taken.
void check_meanings(const Assembly& assembly, const std::vector<int>& order,
                    const plugin::Catalog& catalog, Diagnostics& problems);

}  // namespace ptp::pipeline
