// Work that may crash or never end, done in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace ptp::inspect {

struct ChildResult {
    std::string output;   // what the work returned; incomplete if it did not end well
    std::string failure;  // "ended by signal 11 (Segmentation fault)"; "" if it ended well
};

// Runs `work` in a child process, which is killed after the time limit. The work must not throw.
// REQUIRES: the process has one thread.
ChildResult try_in_child(const std::function<std::string()>& work, int time_limit_s);

}  // namespace ptp::inspect
