// Reports plugin files of a training that newer builds have replaced.

#pragma once

#include "plugin/watch.hpp"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

namespace ptp::engine {

// The watch, with a thread of its own.
class PluginWatch {
public:
    // Throws std::system_error.
    explicit PluginWatch(const std::vector<std::filesystem::path>& files);
    ~PluginWatch();
    PluginWatch(const PluginWatch&) = delete;
    PluginWatch& operator=(const PluginWatch&) = delete;

    // Returns the files that have changed and settled since the last call. Costs one relaxed load
    // if there are none. [main]
    std::vector<std::filesystem::path> changed();

private:
    void watch();

    plugin::Watcher watcher_;
    std::atomic<bool> has_changed_ = false;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;
    std::vector<std::filesystem::path> changed_;
    std::thread thread_;
};

}  // namespace ptp::engine
