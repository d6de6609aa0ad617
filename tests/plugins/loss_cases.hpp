// Losses and their gradients against tests/golden/losses.txt, and what all losses have in common.
#pragma once

#include "support.hpp"

#include <map>
#include <string>
#include <vector>

namespace test {

// The formulas of tests/golden/losses.py; all numbers are doubles.
at::Tensor sines(at::IntArrayRef sizes, double phase);
at::Tensor shares(at::IntArrayRef sizes);
at::Tensor classes(at::IntArrayRef sizes, int64_t count);
at::Tensor some_masks(at::IntArrayRef sizes);
at::Tensor sample_weights(int64_t count);

using Inputs = std::map<std::string, at::Tensor>;

struct LossCase {
    std::string golden;  // the line's name after "NLLLoss."
    std::string settings;
    Inputs inputs;
    std::vector<std::string> differentiated = {"predictions"};
    std::map<std::string, ptp::Data> globals = {};
};

// The loss, its weight and its gradients are those of the golden line.
void check_golden(const std::string& type, const LossCase& of);

// These and more.
Inputs joined(Inputs inputs, const Inputs& more);

// The five golden lines "plain", "masked", "weighted", "both" and "elements" of a loss that
// compares element by element, on [5, 3].
void check_element_goldens(const std::string& type, const Inputs& inputs);

// With masks by sample, on inputs of at least four samples: what is masked has no effect, nan
// neither; a batch in which nothing counts has the loss, the weight and the gradients 0; and the
// mean of two batches by their weights is the loss of both as one.
void check_counting(const std::string& type, const LossCase& of);

// The text of the error with which the loss refuses the inputs.
std::string refusal(const std::string& type, const LossCase& of);

}  // namespace test
