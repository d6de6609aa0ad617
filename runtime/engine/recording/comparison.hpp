// Whether two values are the same, bit for bit or nearly.

#pragma once

#include "engine/replay_request.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Of two that differ.
struct ValueDifference {
    std::vector<std::int64_t> element = {};  // the first one; empty: they differ as a whole
    std::string recorded;
    std::string now;
    std::uint64_t differing = 1;  // elements
    std::uint64_t elements = 1;   // of all
    double largest = 0;           // difference of two numbers
};

// Without a tolerance the bits must be the same; with one, numbers with a point are equal if
// |now - recorded| <= absolute + relative |recorded|, and not-a-number equals itself. REQUIRES:
// both are on the CPU; one may be undefined.
std::optional<ValueDifference> difference_of(const at::Tensor& recorded, const at::Tensor& now,
                                             const std::optional<ReplayTolerance>& tolerance);

// A tensor as a whole: "Float [2, 3]", "none".
std::string tensor_text(const at::Tensor& tensor);

// Of a batch of texts.
std::optional<ValueDifference> difference_of(const std::vector<std::string>& recorded,
                                             const std::vector<std::string>& now);

}  // namespace ptp::engine
