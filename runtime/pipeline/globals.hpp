// Who publishes and who reads which global.

#pragma once

#include "config/diagnostics.hpp"
#include "pipeline/wiring.hpp"

#include <map>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The component that publishes each global; the tasks' are not here, they come first anyway.
// Reports globals with two publishers (tasks of different sections may share one) or with readers
// only.
std::map<std::string, int> check_globals(const Assembly& assembly, config::Diagnostics& problems);

// The globals in the pipeline's names that a component reads.
std::vector<std::string> globals_read(const Draft& draft);

// Statistics that ptp itself has: the learning rate (with a suffix for each of several groups), and
// the sum of several losses.
inline constexpr const char* kRateStatistic = "learning_rate";
inline constexpr const char* kTotalStatistic = "total_loss";

// Reports two statistics with one name, and those named like ptp's own: they would share a column.
void check_statistics(const Assembly& assembly, config::Diagnostics& problems);

}  // namespace ptp::pipeline
