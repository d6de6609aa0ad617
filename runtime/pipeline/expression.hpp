// The expressions in a component's declarations, and their parsers: formulas over integers and
// relations between them, shapes of ports, conditions and meanings. Their grammar is in
// ptp/declarations.h. Parsing throws ExpressionError with a sentence about the text.

#pragma once

#include "base/expression_reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {
class ExpressionReader;
}

namespace ptp::pipeline {

using ptp::ExpressionError;

enum class FormulaKind {
    kUnknown,  // "*"
    kNumber,
    kName,     // of a dimension or a global
    kSetting,  // "$conv1.kernel_size"
    kPort,     // an input, before "[": the sizes of what flows there
    kItem,     // operands: a list, the index; in a shape also kUnknown: the stream's place
    kSlice,    // operands: a list, begin and end; kUnknown for one that is left out
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder,
    kFirst,  // "a|b": the first that is known
    kMin,
    kMax,
    kSum,
    kProduct,
    kLength,
    kWindows,   // operands: size, kernel, stride, padding
    kFileSize,  // operand: a folder; words: the file
    kIf,        // operands: a relation, a formula and (optional) another one
    // Relations.
    kIsSet,    // "$flag": true, or given
    kIsOneOf,  // operand: a setting; words
    kEqual,
    kLess,
    kLessOrEqual,
    kNot,
    kAnd,
    kOr,
};

struct Formula {
    FormulaKind kind = FormulaKind::kUnknown;
    std::int64_t number = 0;
    std::string name = {};                // kName, kSetting, kPort
    std::vector<std::string> words = {};  // kIsOneOf, kFileSize
    std::string text = {};                // as it was written; of a computed dimension
    std::vector<Formula> operands = {};

    bool operator==(const Formula&) const = default;
};

// Throw ExpressionError with a sentence about the text.
Formula parse_formula(std::string_view text);
Formula parse_relation(std::string_view text);

// A formula within a longer text, such as a shape.
Formula read_formula(ExpressionReader& reader);

// After the name of an input has been read: "[1:]".
Formula read_slice(ExpressionReader& reader, std::string port);

// Calls `visit` for the formula and all in it.
template <class Visit>
void for_each_part(const Formula& formula, const Visit& visit) {
    visit(formula);
    for (const Formula& operand : formula.operands) {
        for_each_part(operand, visit);
    }
}

// The number of repetitions of a dimension: a number, or a setting plus a number.
struct Repetition {
    std::string setting = {};  // empty: just the number
    std::int64_t number = 0;

    bool operator==(const Repetition&) const = default;
};

// A dimension of a shape, or the value of a global. The first alternative whose setting was given
// counts: `*`, a number, a name, `$setting` or one item of it. A computed dimension has no other:
// a formula, which has its text, or some of the dimensions of an input.
struct DimensionExpression {
    std::vector<Formula> alternatives;
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

// Reads the value of a written global as parse_shape() reads a shape: one dimension, or a formula
// if it is not a dimension.
const DimensionExpression& parse_value(std::string_view text);

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

// The meanings of a port's numbers, as `meaning` in ptp/declarations.h declares them.
struct Meaning {
    std::string_view name;
    std::string_view text;
};
inline constexpr std::array kMeanings = {Meaning{"scores", "raw scores"},
                                         Meaning{"log_probabilities", "log-probabilities"},
                                         Meaning{"probabilities", "probabilities"},
                                         Meaning{"non_negative", "numbers from 0 on"},
                                         Meaning{"within_one", "numbers from -1 to 1"},
                                         Meaning{"values", "numbers of any range"}};

// "scores|values if mode = Dense": what holds under a condition.
struct MeaningClause {
    std::vector<std::string> words;  // meanings, or an input whose meaning the output has
    Condition condition;
};

// The first clause counts whose condition holds; none is declared by an empty text.
std::vector<MeaningClause> parse_meaning(std::string_view text);

}  // namespace ptp::pipeline
