// Networks beside torchvision's, in tests/golden/image_networks.txt. The weights, which are too
// large to be kept, follow from the names of the parameters; see tests/golden/image_networks.py.
#pragma once

#include "support.hpp"

#include <string>

namespace test::networks {

// Fills all parameters and buffers by the formula.
void fill(Component& net);

// In float32 the first gradients of DenseNet are rounding to 1 part in 1,000.
void make_double(Component& net);

// Two images by the formula.
at::Tensor images(int64_t height, int64_t width);

// Checks sizes, the sum, the sum of absolute values, and some elements at equal distances.
void check_like(const at::Tensor& tensor, const std::string& name);

// Checks the names and sizes of all parameters and buffers.
void check_names(Component& net, const std::string& network);

}  // namespace test::networks
