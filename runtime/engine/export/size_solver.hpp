// Finds how an integer that differs between traces follows from the sizes of their inputs.

#pragma once

#include "engine/export_request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ptp::engine {

// Returns the size that has these values in traces with these sizes of the inputs, a row for each
// trace; nullopt where no formula, or more than one, has them. A constant besides a product is a
// small number only, such as the 1 of a length without its last step.
std::optional<GraphSize> solve_size(std::span<const std::int64_t> values,
                                    const std::vector<std::vector<std::int64_t>>& sizes);

}  // namespace ptp::engine
