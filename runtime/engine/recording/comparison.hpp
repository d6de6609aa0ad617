// Compares two values, bit for bit or with a tolerance.

#pragma once

#include "engine/replay_request.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// The difference of two values.
struct ValueDifference {
    std::vector<std::int64_t> element = {};  // the first one; empty: a different shape or type
    std::string recorded;
    std::string now;
    std::uint64_t differing = 1;  // elements
    std::uint64_t elements = 1;   // in total
    double largest = 0;           // maximum difference of two numbers
};

// Without a tolerance, the bits must be equal; with one, floating-point numbers are equal if |now -
// recorded| <= absolute + relative |recorded|, and NaN equals itself. REQUIRES: both are on the
// CPU; one may be undefined.
std::optional<ValueDifference> difference_of(const at::Tensor& recorded, const at::Tensor& now,
                                             const std::optional<ReplayTolerance>& tolerance);

// Describes a tensor: "Float [2, 3]", "none".
std::string tensor_text(const at::Tensor& tensor);

// Compares two batches of texts.
std::optional<ValueDifference> difference_of(const std::vector<std::string>& recorded,
                                             const std::vector<std::string>& now);

}  // namespace ptp::engine
