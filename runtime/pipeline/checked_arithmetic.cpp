// The arithmetic of formulas: whole numbers that are right, or refused.
#include "pipeline/evaluate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace ptp::pipeline {

namespace {

// Rounds down; the remainder has the sign of `right`.
std::int64_t quotient_of(std::int64_t left, std::int64_t right) {
    const bool is_between = left % right != 0 && (left < 0) != (right < 0);
    return left / right - (is_between ? 1 : 0);
}

std::int64_t remainder_of(std::int64_t left, std::int64_t right) {
    const std::int64_t rest = left % right;
    return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

}  // namespace

std::int64_t combine(FormulaKind kind, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    bool overflows = false;
    char sign = '+';
    switch (kind) {
        case FormulaKind::kAdd:
        case FormulaKind::kSum:
            overflows = __builtin_add_overflow(left, right, &result);
            break;
        case FormulaKind::kSubtract:
            sign = '-';
            overflows = __builtin_sub_overflow(left, right, &result);
            break;
        case FormulaKind::kMultiply:
        case FormulaKind::kProduct:
            sign = '*';
            overflows = __builtin_mul_overflow(left, right, &result);
            break;
        case FormulaKind::kDivide:
        case FormulaKind::kRemainder:
            if (right == 0) {
                throw ComputationError(fmt::format("{} is divided by 0", left));
            }
            if (right == -1) {  // the smallest number has no quotient
                return kind == FormulaKind::kRemainder ? 0
                                                       : combine(FormulaKind::kSubtract, 0, left);
            }
            return kind == FormulaKind::kRemainder ? remainder_of(left, right)
                                                   : quotient_of(left, right);
        case FormulaKind::kMin:
            return std::min(left, right);
        default:
            assert(kind == FormulaKind::kMax);
            return std::max(left, right);
    }
    if (overflows) {
        throw ComputationError(fmt::format("{} {} {} is too large", left, sign, right));
    }
    return result;
}

std::int64_t windows_of(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding) {
    using enum FormulaKind;
    const std::int64_t span =
        combine(kSubtract, combine(kAdd, size, combine(kMultiply, 2, padding)), kernel);
    return span < 0 ? 0 : combine(kAdd, combine(kDivide, span, stride), 1);
}

}  // namespace ptp::pipeline
