// Packs many small tensors into few large ones, which are faster to send.

#pragma once

#include "engine/distributed/group.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Sets each tensor to that of the process `from`. The list is the same in all processes.
void broadcast_all(Group& group, const std::vector<at::Tensor>& tensors, const char* what,
                   std::uint64_t from = 0);

// Sets floating-point tensors to the mean over the processes, in which this one has `weight`, and
// the others to those of process 0.
void average_all(Group& group, const std::vector<at::Tensor>& tensors, double weight,
                 const char* what);

}  // namespace ptp::engine
