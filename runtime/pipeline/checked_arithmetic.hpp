// Whole numbers whose results are right, or refused.

#pragma once

#include <cstdint>
#include <stdexcept>

namespace ptp::pipeline {

// A number that is too large, or a division by zero; what() is a sentence without a subject.
class ComputationError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throw ComputationError.
std::int64_t sum_of(std::int64_t left, std::int64_t right);
std::int64_t difference_of(std::int64_t left, std::int64_t right);
std::int64_t product_of(std::int64_t left, std::int64_t right);
std::int64_t quotient_of(std::int64_t left, std::int64_t right);
std::int64_t remainder_of(std::int64_t left, std::int64_t right);
std::int64_t windows_of(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding);

}  // namespace ptp::pipeline
