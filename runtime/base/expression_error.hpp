#pragma once

#include <stdexcept>

namespace ptp {

// An error whose what() is a sentence about the text of an expression.
class ExpressionError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace ptp
