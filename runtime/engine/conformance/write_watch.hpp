// Which files and folders a thread, and those that it starts, make, change and remove: reported by
// the kernel, whatever function of whatever library does it.

#pragma once

#include <filesystem>
#include <vector>

namespace ptp::engine {

class WriteWatch {
public:
    // From now on, until the process ends, such system calls are slower; programs that it starts
    // end at the first of them. False where the system cannot do it. Once in a process.
    static bool begin();

    // What was written since, by absolute paths, in order. No longer records.
    static std::vector<std::filesystem::path> end();
};

}  // namespace ptp::engine
