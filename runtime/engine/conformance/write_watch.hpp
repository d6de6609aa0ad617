// Records which files and folders a thread, and those that it starts, create, change and remove:
// reported by the kernel for any function of any library.

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ptp::engine {

class WriteWatch {
public:
    // Begins to record. Until the process ends, such system calls are slower, and programs that it
    // starts end at the first of them. Returns false if the system does not support it. Called once
    // in a process.
    static bool begin();

    struct Writes {
        std::vector<std::filesystem::path> paths;  // absolute, each once, in order
        std::uint64_t lost = 0;  // not recorded: after some hundred megabytes of paths
    };

    // Returns the writes since, and stops recording.
    static Writes end();
};

}  // namespace ptp::engine
