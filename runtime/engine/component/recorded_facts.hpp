// The facts that a component is created with, as a recording keeps them.

#pragma once

#include "base/value.hpp"
#include "engine/component/host.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns its place, settings, streams and their shapes, globals and sizes, as far as they are
// known when it is created. [main]
Value recorded_facts(const ComponentContext& context, const pipeline::Node& node);

Value recorded_list(const std::vector<std::string>& texts);

// Returns a copy of N values in memory.
at::Tensor recorded_memory(const void* memory, std::uint64_t count, at::ScalarType type);

}  // namespace ptp::engine
