// Many small tensors as few large ones, which are quicker to send.

#pragma once

#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Each tensor becomes that of the process `from`. The list is the same in all of them.
void broadcast_all(Group& group, const std::vector<at::Tensor>& tensors, const char* what,
                   std::uint64_t from = 0);

// Those of a floating type become the mean over the processes, where this one counts `weight`; the
// others become those of process 0.
void average_all(Group& group, const std::vector<at::Tensor>& tensors, double weight,
                 const char* what);

}  // namespace ptp::engine
