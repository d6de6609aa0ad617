// The loader threads of a section.

#pragma once

#include "experiment/experiment.hpp"

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace ptp::engine {

// Starts `count` threads that do `work`. If the system provides fewer, `end` is called to end those
// that have started, and RunError states which number the experiment should use.
std::vector<std::thread> start_loaders(const experiment::Section& section, std::uint64_t count,
                                       const std::function<void()>& work,
                                       const std::function<void()>& end);

}  // namespace ptp::engine
