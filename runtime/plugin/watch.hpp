// Watches the files of plugins for newer builds.
#pragma once

#include "plugin/settling.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ptp::plugin {

struct WatchOptions {
    // For how long a file must not have changed before it is told of.
    std::chrono::milliseconds quiet{200};
    // How often files are looked at when no event says so: always when polling, and in the way of
    // a safety net otherwise, because events do not tell of changes that another machine makes.
    std::chrono::milliseconds interval{1'000};
    // inotify_init1() and inotify_add_watch(); a test puts others in their place.
    std::function<int(int flags)> open_inotify = {};
    std::function<int(int inotify, const char* path, std::uint32_t mask)> add_watch = {};
};

// One thread polls; any thread may stop. Has no thread of its own.
class Watcher {
public:
    // Changes are told from here on. Files need not exist yet. A link is followed: it is a change
    // when it leads elsewhere, or when the file at its end is replaced or written to.
    // Throws std::system_error where the system has no descriptor left for stop().
    explicit Watcher(const std::vector<std::filesystem::path>& files, WatchOptions options = {});
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // The files, as they were given, that have changed since they were last told, and settled.
    // Returns as soon as there is one; none when the time is over, or after stop().
    std::vector<std::filesystem::path> poll(std::chrono::milliseconds timeout);

    // Ends a poll() that waits, and all later ones. [any]
    void stop() noexcept;

    // How changes are noticed: "inotify", or "polling every 1 s: inotify_init1: Too many open
    // files", which may take its place at any time.
    std::string mechanism() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ptp::plugin
