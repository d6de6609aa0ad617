// Statistics in batches.
#pragma once

#include "support.hpp"

#include <map>
#include <string>

namespace test {

// Runs a statistic on inputs in batches of `size`.
void run_in_batches(Component& statistic, const std::map<std::string, at::Tensor>& inputs,
                    int64_t size, uint64_t set = 0);

}  // namespace test
