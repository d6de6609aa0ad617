// What the first process does alone, and the others wait for, however long it takes.

#pragma once

#include "engine/distributed/group.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

namespace ptp::engine {

// For how long the others wait for work that does not end, and who reports it.
struct Patience {
    std::chrono::milliseconds limit;
    std::function<void(const std::string&)> warn = nullptr;  // [any] (optional) in the first one

    static Patience of(const Group& group) {
        return {
            std::max<std::chrono::milliseconds>(10 * group.timeout(), std::chrono::minutes(10))};
    }
};

// All call it; the first one does the work, such as writing a checkpoint, and lets the others know
// again and again that it runs. So they wait for longer than their time limit, but not for a
// process that has ended, is stopped or cannot be reached, nor for work that hangs for longer than
// the patience: then they throw what a collective does. Throws what the work throws. [main]
void work_in_first(Group& group, const char* what, const std::function<void()>& work,
                   const Patience& patience);
inline void work_in_first(Group& group, const char* what, const std::function<void()>& work) {
    work_in_first(group, what, work, Patience::of(group));
}

}  // namespace ptp::engine
