// Whole runs of the experiments in configs/, on a few samples.
#pragma once

#include <string>
#include <vector>

namespace ptp::test {

// Checks that each of these experiments trains, validates and tests.
void run_each(const std::vector<std::string>& experiments);

}  // namespace ptp::test
