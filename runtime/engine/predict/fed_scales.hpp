// The scale of numbers that a program feeds in place of a task that standardizes a table's.

#pragma once

#include "base/value.hpp"

#include <ATen/core/Tensor.h>

#include <string>

namespace ptp::engine {

// Returns a warning of numbers, [B, n], that are not as the task of the training delivers them, but
// probably as the table has them; "" for others. `globals` are those of a checkpoint, whose
// columns may have ranges.
std::string warning_of_raw_numbers(const std::string& stream, const at::Tensor& numbers,
                                   const Value& globals);

}  // namespace ptp::engine
