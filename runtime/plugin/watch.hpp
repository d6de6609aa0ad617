// Watches the files of plugins for newer builds, by looking at them again and again.
#pragma once

#include "plugin/settling.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <vector>

namespace ptp::plugin {

struct WatchOptions {
    // For how long a file must not have changed before it is reported.
    std::chrono::milliseconds quiet{200};
    // How often files are looked at.
    std::chrono::milliseconds interval{250};
};

// One thread polls; any thread may stop. Has no thread of its own.
class Watcher {
public:
    // Changes are reported from here on. Files need not exist yet. A link is followed: it is a
    // change when it leads elsewhere, or when the file at its end is replaced or written to.
    explicit Watcher(const std::vector<std::filesystem::path>& files, WatchOptions options = {});

    // The files, as they were given, that have changed since they were last reported, and settled.
    // Returns as soon as there is one; none when the time is over, or after stop().
    std::vector<std::filesystem::path> poll(std::chrono::milliseconds timeout);

    // Ends a poll() that waits, and all later ones. [any]
    void stop();

private:
    struct WatchedFile {
        std::filesystem::path given;
        std::filesystem::path path;
        FileState reported;
        Settling settling;
    };
    using TimePoint = Settling::TimePoint;

    std::vector<std::filesystem::path> look();
    [[nodiscard]] TimePoint next_look(TimePoint deadline) const;

    std::chrono::milliseconds interval_;
    std::vector<WatchedFile> files_;
    std::mutex mutex_;  // of is_stopped_
    std::condition_variable stopped_;
    bool is_stopped_ = false;
};

}  // namespace ptp::plugin
