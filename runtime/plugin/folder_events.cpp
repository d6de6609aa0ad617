#include "plugin/folder_events.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kMask = IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

FolderEvents::FolderEvents(FolderEventCalls calls)
    : calls_(std::move(calls)), descriptor_(calls_.open(IN_NONBLOCK | IN_CLOEXEC)) {
    if (descriptor_ < 0) {
        refuse("inotify_init1");
    }
}

FolderEvents::~FolderEvents() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

void FolderEvents::refuse(const std::string& call) {
    refusal_ = fmt::format("{}: {}", call, std::strerror(errno));
    if (descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
    watches_.clear();
}

void FolderEvents::watch(const std::set<std::filesystem::path>& folders) {
    std::set<int> watches;
    for (const auto& folder : folders) {
        if (descriptor_ < 0) {
            return;
        }
        // For a folder that is watched already this gives the same number.
        const int watch = calls_.add(descriptor_, folder.c_str(), kMask);
        if (watch >= 0) {
            watches.insert(watch);
        } else if (errno != ENOENT && errno != ENOTDIR) {
            refuse(fmt::format("inotify_add_watch {}", folder.string()));
        }
    }
    for (const int watch : watches_) {
        if (!watches.contains(watch)) {
            ::inotify_rm_watch(descriptor_, watch);  // fails where the folder itself has gone
        }
    }
    watches_ = std::move(watches);
}

void FolderEvents::drain() const {
    std::array<char, 16'384> events{};
    while (::read(descriptor_, events.data(), events.size()) > 0) {
    }
}

}  // namespace ptp::plugin
