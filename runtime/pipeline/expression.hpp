// The little languages of a component's declarations: shapes of ports, and conditions; formulas are
// in formula.hpp. Their grammar is in ptp/declarations.h. Parsing throws ExpressionError with a
// sentence about the text.

#pragma once

#include "base/expression_error.hpp"
#include "pipeline/formula.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// A name, a number, `*`, `$setting` with or without an index, a formula in parentheses, or some of
// the dimensions of an input.
struct Atom {
    enum class Kind { kNumber, kAny, kName, kSetting, kFormula, kSlice };
    Kind kind = Kind::kAny;
    std::int64_t number = 0;
    std::string name = {};  // of a dimension or of a setting
    std::optional<std::size_t> index = {};
    std::optional<Formula> formula = {};

    bool operator==(const Atom&) const = default;
};

// How often a dimension is repeated: a number, or a setting plus a number.
struct Repetition {
    std::string setting = {};  // empty: just the number
    std::int64_t number = 0;

    bool operator==(const Repetition&) const = default;
};

struct DimensionExpression {
    std::vector<Atom> alternatives;  // the first whose setting was given counts
    std::optional<Repetition> repetition;

    bool operator==(const DimensionExpression&) const = default;
};

struct ShapeExpression {
    bool is_any = false;  // "..."
    std::vector<DimensionExpression> dimensions;

    bool operator==(const ShapeExpression&) const = default;
};

// Parsed once for all components with this declaration; the result lives as long as the thread.
const ShapeExpression& parse_shape(std::string_view text);

DimensionExpression parse_dimension(std::string_view text);

// The value of a written global: one dimension, or a formula if it is not a dimension.
struct ValueExpression {
    std::optional<DimensionExpression> dimension;
    std::optional<Formula> formula;
};

// Reads a value as parse_shape() reads a shape.
const ValueExpression& parse_value(std::string_view text);

struct Term {
    std::string setting;
    bool is_negated = false;          // "!setting", or "setting != ..."
    std::vector<std::string> values;  // empty: true, or given

    bool operator==(const Term&) const = default;
};

// All terms must hold; an empty condition always does.
struct Condition {
    std::vector<Term> terms;

    bool operator==(const Condition&) const = default;
};

// Reads a condition as parse_shape() reads a shape.
const Condition& parse_condition(std::string_view text);

}  // namespace ptp::pipeline
