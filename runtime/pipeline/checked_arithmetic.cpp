#include "pipeline/checked_arithmetic.hpp"

#include <fmt/core.h>

namespace ptp::pipeline {

namespace {

[[noreturn]] void fail_overflow(std::int64_t left, char sign, std::int64_t right) {
    throw ComputationError(fmt::format("{} {} {} is too large", left, sign, right));
}

}  // namespace

std::int64_t sum_of(std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(left, right, &result)) {
        fail_overflow(left, '+', right);
    }
    return result;
}

std::int64_t difference_of(std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(left, right, &result)) {
        fail_overflow(left, '-', right);
    }
    return result;
}

std::int64_t product_of(std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(left, right, &result)) {
        fail_overflow(left, '*', right);
    }
    return result;
}

// Rounded down, as is the remainder's quotient.
std::int64_t quotient_of(std::int64_t left, std::int64_t right) {
    if (right == 0) {
        throw ComputationError(fmt::format("{} is divided by 0", left));
    }
    if (right == -1) {
        return difference_of(0, left);
    }
    const bool is_between = left % right != 0 && (left < 0) != (right < 0);
    return left / right - (is_between ? 1 : 0);
}

std::int64_t remainder_of(std::int64_t left, std::int64_t right) {
    return right == -1 ? 0 : difference_of(left, product_of(quotient_of(left, right), right));
}

// How many places a window has: floor((size + 2 padding - kernel) / stride) + 1.
std::int64_t windows_of(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding) {
    const std::int64_t span = difference_of(sum_of(size, product_of(2, padding)), kernel);
    return span < 0 ? 0 : sum_of(quotient_of(span, stride), 1);
}

}  // namespace ptp::pipeline
