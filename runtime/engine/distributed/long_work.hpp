// Work of the first process for which the others wait, however long it takes.

#pragma once

#include "engine/distributed/group.hpp"

#include <c10/util/FunctionRef.h>
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

namespace ptp::engine {

// The maximum time that the others wait for work that does not end, and the function that warns of
// it.
struct Patience {
    std::chrono::milliseconds limit;
    std::function<void(const std::string&)> warn = nullptr;  // [any] (optional) in the first one

    static Patience of(const Group& group) {
        return {
            std::max<std::chrono::milliseconds>(10 * group.timeout(), std::chrono::minutes(10))};
    }
};

// Called by all; the first one does the work, such as writing a checkpoint, and keeps informing the
// others that it runs. So they wait longer than their time limit, but not for a process that has
// ended, is stopped or is unreachable, nor for work that hangs beyond the patience: then they throw
// as a collective does. Throws the work's exception. [main]
void work_in_first(Group& group, const char* what, c10::function_ref<void()> work,
                   const Patience& patience);
inline void work_in_first(Group& group, const char* what, c10::function_ref<void()> work) {
    work_in_first(group, what, work, Patience::of(group));
}

}  // namespace ptp::engine
