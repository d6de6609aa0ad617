// Which files and folders a thread, and those that it starts, make, change and remove: reported by
// the kernel, whatever function of whatever library does it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ptp::engine {

class WriteWatch {
public:
    // From now on, until the process ends, such system calls are slower; programs that it starts
    // end at the first of them. False where the system cannot do it. Once in a process.
    static bool begin();

    struct Writes {
        std::vector<std::filesystem::path> paths;  // absolute, each once, in order
        std::uint64_t lost = 0;  // more than could be kept: after some hundred megabytes of paths
    };

    // What was written since. No longer records.
    static Writes end();
};

}  // namespace ptp::engine
