// Polls the files of plugins, and of what travels with them, for changes.

#include "plugin/watch.hpp"

#include "plugin/companions.hpp"

#include <boost/container_hash/hash.hpp>

#include <algorithm>
#include <exception>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::hours kForever{24 * 365};

// Folders are among them, so that a new file is noticed.
void add_companions(const fs::path& plugin, std::set<fs::path>& known) {
    const fs::path data = data_place(plugin);
    known.insert(data);
    try {
        for (const Companion& one : companions_of(plugin)) {
            known.insert(one.file);
            for (fs::path folder = one.file.parent_path(); !one.is_library && folder != data;
                 folder = folder.parent_path()) {
                known.insert(folder);
            }
        }
    } catch (const std::exception&) {  // A swap to the build reports it.
    }
}

// Returns a state that changes with any of these files.
FileState with_companions(FileState state, const std::set<fs::path>& companions) {
    std::size_t hash = 0;
    for (const fs::path& companion : companions) {
        const FileState one = state_of(companion);
        for (const auto number : {std::uint64_t{one.exists}, one.device, one.inode, one.size,
                                  static_cast<std::uint64_t>(one.changed_ns)}) {
            boost::hash_combine(hash, number);
        }
    }
    state.changed_ns ^= static_cast<std::int64_t>(hash);
    return state;
}

}  // namespace

Watcher::Watcher(const std::vector<fs::path>& files, WatchOptions options)
    : interval_(options.interval) {
    for (const fs::path& file : files) {
        const fs::path path = fs::absolute(file);
        WatchedFile& added =
            files_.emplace_back(WatchedFile{file, path, {}, {}, Settling(options.quiet)});
        add_companions(path, added.companions);
        added.reported = with_companions(state_of(path), added.companions);
    }
}

void Watcher::stop() {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    stopped_.notify_all();
}

// Looks for what travels with the plugin only after a change, because that reads the plugin.
FileState Watcher::state_with_companions(WatchedFile& file) {
    const FileState state = with_companions(state_of(file.path), file.companions);
    if (!state.exists || state == file.settling.state() || state == file.reported) {
        return state;
    }
    add_companions(file.path, file.companions);
    return with_companions(state_of(file.path), file.companions);
}

std::vector<fs::path> Watcher::look() {
    std::vector<fs::path> changed;
    for (WatchedFile& file : files_) {
        file.settling.seen(state_with_companions(file), Clock::now());
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
