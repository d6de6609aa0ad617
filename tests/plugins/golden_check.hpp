// Components against numbers of another implementation, in tests/golden.
#pragma once

#include "support.hpp"

#include <map>
#include <string>

namespace test {

// Element k, in row-major order, is cos(0.7 k + phase).
at::Tensor wave(at::IntArrayRef shape, double phase);

// Gives every parameter 0.1 cos(k), runs the component on these inputs and compares its only output
// with the line "NAME.outputs" of tests/golden/FILE.txt, and the gradients of sum(outputs *
// wave(2)) with "NAME.gradient.WHAT", for each input and each parameter. Fixed inputs have no
// gradient.
void check_golden(Component& component, const std::string& file, const std::string& name,
                  const std::map<std::string, at::Tensor>& inputs,
                  const std::map<std::string, at::Tensor>& fixed_inputs = {});

}  // namespace test
