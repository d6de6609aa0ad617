// Checks globals, the constants that components publish and read, such as the number of classes,
// and the names of statistics.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/wiring.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// Removes from the nodes the globals that are to be read only if a component publishes them, and
// that no component publishes.
void drop_unpublished(Assembly& assembly);

// Returns the component that publishes each global, without those of tasks, which are created first
// in any case. Reports globals with two publishers (tasks of different sections may share one) or
// with readers only.
std::map<std::string, int> check_globals(const Assembly& assembly, Diagnostics& problems);

// A global whose name is in one setting and whose value is in another one: "$keys" with "$values".
struct ListedGlobal {
    std::string name;  // the pipeline's
    const Value* value = nullptr;
    std::optional<std::size_t> index;  // of the value, if they are a list
};

// Empty if there are not as many values as names, which check_globals() reports.
std::vector<ListedGlobal> listed_globals(const Draft& draft, const plugin::Global& global);

// Reports values of such globals that are not sizes, where a port of another component has the
// global as a size, and constants that are not sizes where a port of their component has them.
void check_global_sizes(const Assembly& assembly, Diagnostics& problems);

// Returns whether a dimension of one of its ports has this name.
bool is_dimension(const Draft& draft, const std::string& name);

// The globals in the pipeline's names that a component reads.
std::vector<std::string> globals_read(const Draft& draft);

// In statistic_names.cpp.

// Statistics that ptp itself has: the learning rate (with a suffix for each of several groups), and
// the sum of several losses.
inline constexpr const char* kRateStatistic = "learning_rate";
inline constexpr const char* kTotalStatistic = "total_loss";

// The names of the statistics that are shown of a section. REQUIRES: it has a task.
std::vector<std::string> statistics_in(const std::string& section, const Assembly& assembly);

// Reports statistics that would share a column: two of one name, one that is called as the minimum,
// maximum or deviation of another one is, and those named like a column of ptp's own.
void check_statistics(const Assembly& assembly, Diagnostics& problems);

}  // namespace ptp::pipeline
