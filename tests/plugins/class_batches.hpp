// Targets and predictions for statistics, by the formulas of tests/golden/statistic_values.py.
#pragma once

#include "loss_cases.hpp"

#include <map>
#include <string>

namespace test {

at::Tensor some_targets();        // [60], of the classes 0, 1 and 2
at::Tensor some_predictions();    // [60], of the classes 0 to 3
at::Tensor every_third_masked();  // [60]
at::Tensor one_hot_scores(const at::Tensor& classes, int64_t count);

// Runs a statistic on inputs in batches of `size`, which it must not tell from one of all.
void run_in_batches(Component& statistic, const std::map<std::string, at::Tensor>& inputs,
                    int64_t size, uint64_t set = 0);

}  // namespace test
