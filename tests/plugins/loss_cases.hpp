// Inputs by formulas, as doubles.
#pragma once

#include "support.hpp"

namespace test {

at::Tensor sines(at::IntArrayRef sizes, double phase);  // 1.5 sin(0.7 k + phase)

}  // namespace test
