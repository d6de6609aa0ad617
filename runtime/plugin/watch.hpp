// Watches the files of plugins for newer builds, by polling.
#pragma once

#include "plugin/settling.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <vector>

namespace ptp::plugin {

struct WatchOptions {
    // The time that a file must not have changed before it is reported.
    std::chrono::milliseconds quiet{200};
    // The time between checks of the files.
    std::chrono::milliseconds interval{250};
};

// Watches files without a thread of its own. One thread polls; any thread may stop.
class Watcher {
public:
    // Reports changes from here on. Files need not exist yet. Links are followed: a link changes
    // when its target does, or when its target is replaced or written to. A file has changed, too,
    // when one that travels with it has, such as its data.
    explicit Watcher(const std::vector<std::filesystem::path>& files, WatchOptions options = {});

    // Returns the files, as given, that have changed since they were last reported, and settled.
    // Returns as soon as there is one; none after the timeout or stop().
    std::vector<std::filesystem::path> poll(std::chrono::milliseconds timeout);

    // Ends a waiting poll() and all later ones. [any]
    void stop();

private:
    struct WatchedFile {
        std::filesystem::path given;
        std::filesystem::path path;
        // The files that have traveled with it so far, and their folders. One that is gone stays
        // here, because a build may be about to write it again.
        std::set<std::filesystem::path> companions;
        FileState reported;
        Settling settling;
    };
    using TimePoint = Settling::TimePoint;

    static FileState state_with_companions(WatchedFile& file);
    std::vector<std::filesystem::path> look();
    [[nodiscard]] TimePoint next_look(TimePoint deadline) const;

    std::chrono::milliseconds interval_;
    std::vector<WatchedFile> files_;
    std::mutex mutex_;  // guards is_stopped_
    std::condition_variable stopped_;
    bool is_stopped_ = false;
};

}  // namespace ptp::plugin
