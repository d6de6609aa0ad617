#include "engine/swap/plugin_watch.hpp"

#include "engine/data/loader_threads.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ptp::engine {

PluginWatch::PluginWatch(const std::vector<std::filesystem::path>& files)
    : watcher_(files), thread_([this] { watch(); }) {}

PluginWatch::~PluginWatch() {
    is_ending_ = true;
    watcher_.stop();
    thread_.join();
}

void PluginWatch::watch() {
    become_worker_thread();
    while (!is_ending_) {
        const auto files = watcher_.poll(std::chrono::hours(1));
        if (files.empty()) {
            continue;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const std::filesystem::path& file : files) {
            if (std::ranges::count(changed_, file) == 0) {
                changed_.push_back(file);
            }
        }
        has_changed_ = true;
    }
}

std::vector<std::filesystem::path> PluginWatch::changed() {
    if (!has_changed_.load(std::memory_order_relaxed)) {
        return {};
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    has_changed_ = false;
    return std::exchange(changed_, {});
}

}  // namespace ptp::engine
