// What the first process does alone, and the others wait for, however long it takes.

#pragma once

#include "engine/distributed/group.hpp"

#include <functional>

namespace ptp::engine {

// All call it; the first one does the work, such as writing a checkpoint, and lets the others know
// again and again that it runs. So they wait for longer than their time limit, but not for a
// process that has ended, is stopped or cannot be reached: then they throw what a collective does.
// Throws what the work throws. [main]
void work_in_first(Group& group, const char* what, const std::function<void()>& work);

}  // namespace ptp::engine
