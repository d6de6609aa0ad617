// Max-pooling of windows of 2 x 2, with the same bits as at::max_pool2d(maps, 2) in values and
// gradients, but much faster where libtorch compares number by number. An observer sees it as an
// operation `max_pool2d`; a tracer gets libtorch's.
#pragma once

#include <ATen/core/Tensor.h>

namespace ptp::support {

// Returns [B, C, H, W] -> [B, C, H / 2, W / 2], rounded down.
at::Tensor max_pool_2x2(const at::Tensor& maps);

// Pools maps.relu(), which is not stored in memory unless somebody observes it.
at::Tensor relu_max_pool_2x2(const at::Tensor& maps);

}  // namespace ptp::support
