#pragma once

#include <spdlog/common.h>

namespace ptp::engine {

// Marks a line of the log as a result that the experiment requested: the console shows it although
// it is only information.
inline constexpr spdlog::source_loc kResultOfComponent{"result of a component", 1, ""};

}  // namespace ptp::engine
