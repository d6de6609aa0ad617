// Waking up when something changes in a folder: inotify.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace ptp::plugin {

// The system's calls, which set errno.
struct FolderEventCalls {
    std::function<int(int flags)> open;
    std::function<int(int inotify, const char* path, std::uint32_t mask)> add;
};

// Where the system refuses, there are no events, for good.
class FolderEvents {
public:
    explicit FolderEvents(FolderEventCalls calls);
    ~FolderEvents();
    FolderEvents(const FolderEvents&) = delete;
    FolderEvents& operator=(const FolderEvents&) = delete;

    // From now on these folders, and no others. One that does not exist is left out.
    void watch(const std::set<std::filesystem::path>& folders);

    // Readable when there are events; -1 where there are none for good.
    int descriptor() const { return descriptor_; }

    // Throws away what there is to read.
    void drain() const;

    // Why there are none: "inotify_init1: Too many open files".
    const std::string& refusal() const { return refusal_; }

private:
    void refuse(const std::string& call);

    FolderEventCalls calls_;
    int descriptor_;
    std::set<int> watches_;
    std::string refusal_;
};

}  // namespace ptp::plugin
