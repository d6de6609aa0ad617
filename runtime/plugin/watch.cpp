#include "plugin/watch.hpp"

#include "plugin/folder_events.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <set>
#include <system_error>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kMaxLinks = 40;  // as many as the system follows
constexpr std::chrono::hours kForever{24 * 365};

struct WatchedFile {
    fs::path given;
    fs::path path;
    FileState told;
    Settling settling;
};

FolderEventCalls calls_of(const WatchOptions& options) {
    FolderEventCalls calls{.open = options.open_inotify, .add = options.add_watch};
    if (!calls.open) {
        calls.open = ::inotify_init1;
    }
    if (!calls.add) {
        calls.add = ::inotify_add_watch;
    }
    return calls;
}

// Where a change of the file can show: its own folder and, of a link, those of what it leads to.
void add_folders(fs::path path, std::set<fs::path>& folders) {
    for (int i = 0; i < kMaxLinks; ++i) {
        folders.insert(path.parent_path());
        std::error_code error;
        const fs::path target = fs::read_symlink(path, error);
        if (error) {
            return;
        }
        path = path.parent_path() / target;
    }
}

}  // namespace

class Watcher::Impl {
public:
    Impl(const std::vector<fs::path>& files, WatchOptions options);
    ~Impl() { ::close(stop_); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::vector<fs::path> poll(milliseconds timeout);
    void stop() noexcept;
    std::string mechanism() const;

private:
    void renew_watches();
    std::vector<fs::path> look();
    Clock::time_point next_look(Clock::time_point deadline) const;
    void wait_until(Clock::time_point time) const;

    milliseconds interval_;
    FolderEvents events_;
    int stop_;
    std::atomic<bool> is_stopped_ = false;
    std::vector<WatchedFile> files_;
};

Watcher::Impl::Impl(const std::vector<fs::path>& files, WatchOptions options)
    : interval_(options.interval),
      events_(calls_of(options)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (stop_ < 0) {
        throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    for (const fs::path& file : files) {
        files_.push_back({file, fs::absolute(file), {}, Settling(options.quiet)});
    }
    renew_watches();
    for (WatchedFile& file : files_) {
        file.told = state_of(file.path);
    }
}

void Watcher::Impl::stop() noexcept {
    is_stopped_ = true;
    ::eventfd_write(stop_, 1);
}

std::string Watcher::Impl::mechanism() const {
    if (events_.descriptor() >= 0) {
        return "inotify";
    }
    return fmt::format("polling every {:g} s: {}", std::chrono::duration<double>(interval_).count(),
                       events_.refusal());
}

// Links may lead elsewhere by now, and a folder may have been replaced by another of its name.
void Watcher::Impl::renew_watches() {
    std::set<fs::path> folders;
    for (const WatchedFile& file : files_) {
        add_folders(file.path, folders);
    }
    events_.watch(folders);
}

// The watches come first: what changes after the look makes an event.
std::vector<fs::path> Watcher::Impl::look() {
    renew_watches();
    std::vector<fs::path> changed;
    for (WatchedFile& file : files_) {
        file.settling.seen(state_of(file.path), Clock::now());
        if (!file.settling.state().exists) {
            file.told = {};
        } else if (file.settling.is_settled() && file.settling.state() != file.told) {
            file.told = file.settling.state();
            changed.push_back(file.given);
        }
    }
    return changed;
}

Clock::time_point Watcher::Impl::next_look(Clock::time_point deadline) const {
    Clock::time_point next = std::min(deadline, Clock::now() + interval_);
    for (const WatchedFile& file : files_) {
        const auto settles_at = file.settling.settles_at();
        if (settles_at && file.settling.state() != file.told) {
            next = std::min(next, *settles_at);
        }
    }
    return next;
}

void Watcher::Impl::wait_until(Clock::time_point time) const {
    const auto rest = std::chrono::ceil<milliseconds>(time - Clock::now()).count();
    std::array<pollfd, 2> waiting = {pollfd{stop_, POLLIN, 0},
                                     pollfd{events_.descriptor(), POLLIN, 0}};
    const int count = ::poll(waiting.data(), waiting.size(),
                             static_cast<int>(std::clamp<std::int64_t>(rest, 0, INT_MAX)));
    if (count > 0 && waiting[1].revents != 0) {
        events_.drain();
    }
}

std::vector<fs::path> Watcher::Impl::poll(milliseconds timeout) {
    const auto deadline = Clock::now() + std::min<milliseconds>(timeout, kForever);
    while (!is_stopped_) {
        std::vector<fs::path> changed = look();
        if (!changed.empty() || Clock::now() >= deadline) {
            return changed;
        }
        wait_until(next_look(deadline));
    }
    return {};
}

Watcher::Watcher(const std::vector<fs::path>& files, WatchOptions options)
    : impl_(std::make_unique<Impl>(files, std::move(options))) {}

Watcher::~Watcher() = default;

std::vector<fs::path> Watcher::poll(milliseconds timeout) {
    return impl_->poll(timeout);
}

void Watcher::stop() noexcept {
    impl_->stop();
}

std::string Watcher::mechanism() const {
    return impl_->mechanism();
}

}  // namespace ptp::plugin
