// Runs work in a separate process, which may crash or never end.

#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace ptp {

// The end of a child process.
struct ChildEnd {
    std::string output;          // what the work returned; incomplete unless it ended well
    bool has_timed_out = false;  // it was killed
    int status = 0;              // as returned by waitpid(); that of exit(0) if the work was done
};

// Runs the work in a fork of this process, which is killed when the limit passes or this process
// ends. No other thread exists there, and destructors of static objects do not run at its end. It
// has its own process group: an interrupt from the terminal does not reach it, and the processes
// that it has started are killed at its end. The work must not throw. Throws std::system_error.
ChildEnd run_in_child(const std::function<std::string()>& work,
                      std::chrono::duration<double> limit);

}  // namespace ptp
