// Formulas over integers, and relations between them: how sizes follow from others, and what must
// hold. Their grammar is in ptp/declarations.h, at "Formulas".

#pragma once

#include "base/expression_error.hpp"

#include <cstdint>
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
    kItem,     // operands: a list, the index
    kSlice,    // operands: a list, begin and end; kUnknown for one that is left out
    kNegative,
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
    std::string text = {};                // as it was written; of the sides of a comparison
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

}  // namespace ptp::pipeline
