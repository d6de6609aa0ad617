// Work in a process of its own, which may crash there or never end.

#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace ptp {

// How a child process has ended.
struct ChildEnd {
    std::string output;          // what the work returned; incomplete if it did not end well
    bool has_timed_out = false;  // it was killed
    int status = 0;              // as of waitpid(); as of exit(0) if the work was done
};

// Does the work in a fork of this process, which is killed when the limit passes or this process
// ends. No other thread exists there, and no destructor of a static object runs at its end. It has
// a process group of its own: an interrupt from the terminal does not reach it, and what it has
// started is killed at its end. The work must not throw. Throws std::system_error.
ChildEnd run_in_child(const std::function<std::string()>& work,
                      std::chrono::duration<double> limit);

}  // namespace ptp
