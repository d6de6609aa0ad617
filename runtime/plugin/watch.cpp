#include "plugin/watch.hpp"

#include <algorithm>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::hours kForever{24 * 365};

}  // namespace

Watcher::Watcher(const std::vector<fs::path>& files, WatchOptions options)
    : interval_(options.interval) {
    for (const fs::path& file : files) {
        const fs::path path = fs::absolute(file);
        files_.push_back({file, path, state_of(path), Settling(options.quiet)});
    }
}

void Watcher::stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    stopped_.notify_all();
}

std::vector<fs::path> Watcher::look() {
    std::vector<fs::path> changed;
    for (WatchedFile& file : files_) {
        file.settling.seen(state_of(file.path), Clock::now());
        if (!file.settling.state().exists) {
            file.reported = {};
        } else if (file.settling.is_settled() && file.settling.state() != file.reported) {
            file.reported = file.settling.state();
            changed.push_back(file.given);
        }
    }
    return changed;
}

Watcher::TimePoint Watcher::next_look(TimePoint deadline) const {
    TimePoint next = std::min(deadline, Clock::now() + interval_);
    for (const WatchedFile& file : files_) {
        const auto settles_at = file.settling.settles_at();
        if (settles_at && file.settling.state() != file.reported) {
            next = std::min(next, *settles_at);
        }
    }
    return next;
}

std::vector<fs::path> Watcher::poll(std::chrono::milliseconds timeout) {
    const TimePoint deadline =
        Clock::now() + std::min<std::chrono::milliseconds>(timeout, kForever);
    std::unique_lock lock(mutex_);
    while (!is_stopped_) {
        std::vector<fs::path> changed = look();
        if (!changed.empty() || Clock::now() >= deadline) {
            return changed;
        }
        stopped_.wait_until(lock, next_look(deadline), [this] { return is_stopped_; });
    }
    return {};
}

}  // namespace ptp::plugin
