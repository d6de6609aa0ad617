// Whole runs of the experiments in configs/, on a few samples.
#pragma once

#include <functional>
#include <string>

namespace ptp::test {

// Checks that each experiment with such a name trains, validates and tests.
void run_each(const std::function<bool(const std::string&)>& is_meant);

}  // namespace ptp::test
