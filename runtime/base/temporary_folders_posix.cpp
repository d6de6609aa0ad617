// A handler that removes listed folders by system calls alone, since it may interrupt anything, and
// locks of folders, which the system frees when a process ends.

#include "base/temporary_folders.hpp"

#include "base/output_file.hpp"
#include "base/random.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp {

namespace {

constexpr int kMaxDepth = 16;
constexpr int kMaxPasses = 100;  // of a folder that other threads write to

enum State : int { kFree, kTaken, kListed };

struct Slot {
    std::atomic<int> state = kFree;
    std::array<char, 512> path{};
};

// Globals: a signal handler can reach nothing else.
std::array<Slot, 64> slots;
std::atomic<pid_t> owner = 0;  // a child has the handler, and not the folders
static_assert(std::atomic<int>::is_always_lock_free);

// An entry of a folder, as the kernel writes it (man 2 getdents): two numbers of 8 bytes, its size
// in 2, its type in 1, and its name.
constexpr std::size_t kSizeOffset = 16;
constexpr std::size_t kNameOffset = 19;

bool is_real(const char* name) {
    return std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0;
}

void remove_tree(int parent, const char* name, int depth);

// Returns whether the folder had anything in it.
bool remove_entries(int folder, int depth) {
    bool had_any = false;
    alignas(8) std::array<char, 2048> buffer;  // filled by the kernel
    long count = 0;
    while ((count = syscall(SYS_getdents64, folder, buffer.data(), buffer.size())) > 0) {
        for (long at = 0; at < count;) {
            const char* const entry = buffer.data() + at;
            std::uint16_t size = 0;
            std::memcpy(&size, entry + kSizeOffset, sizeof(size));
            const char* const name = entry + kNameOffset;
            if (is_real(name)) {
                had_any = true;
                remove_tree(folder, name, depth);
            }
            at += size;
        }
    }
    return had_any;
}

void remove_content(int folder, int depth) {
    int passes = 0;
    do {
        lseek(folder, 0, SEEK_SET);
    } while (remove_entries(folder, depth) && ++passes < kMaxPasses);
}

int open_folder(int parent, const char* name) {
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_tree(int parent, const char* name, int depth) {
    if (unlinkat(parent, name, 0) == 0 || depth == 0) {
        return;
    }
    const int folder = open_folder(parent, name);
    if (folder < 0) {
        return;
    }
    remove_content(folder, depth - 1);
    close(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

// The signal's usual action was restored (SA_RESETHAND), and ends the process afterwards.
void remove_and_end(int signal) {
    if (getpid() == owner) {
        for (Slot& slot : slots) {
            if (slot.state == kListed) {
                remove_tree(AT_FDCWD, slot.path.data(), kMaxDepth);
            }
        }
    }
    raise(signal);
}

// The mode of a folder that is or was held: the sticky bit, which means nothing else for a folder
// of one user, is set after the lock. A folder without it may be one that is being made.
constexpr mode_t kHeldMode = S_IRWXU | S_ISVTX;

bool is_locked_now(int folder) {
    return flock(folder, LOCK_EX | LOCK_NB) == 0;
}

constexpr std::string_view kName = "ptp-plugins-";
constexpr std::string_view kRandom = "XXXXXX";

bool is_like(std::string_view name, std::string_view pattern) {
    return name.size() == pattern.size() &&
           name.starts_with(pattern.substr(0, pattern.find_last_not_of('X') + 1));
}

// Returns whether this process now holds a folder that another one has held.
bool is_taken_over(int folder) {
    struct stat facts {};
    constexpr mode_t kPermissions = S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;
    return fstat(folder, &facts) == 0 && facts.st_uid == geteuid() &&
           (facts.st_mode & kPermissions) == kHeldMode && is_locked_now(folder);
}

}  // namespace

void remove_temporary_folders_on_signals() {
    owner = getpid();
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = remove_and_end;
            action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
            sigfillset(&action.sa_mask);
            sigaction(signal, &action, nullptr);
        }
    }
}

void list_temporary_folder(const std::string& path) {
    for (Slot& slot : slots) {
        int expected = kFree;
        if (path.size() < slot.path.size() &&
            slot.state.compare_exchange_strong(expected, kTaken)) {
            std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
            slot.state = kListed;
            return;
        }
    }
}

void unlist_temporary_folder(const std::string& path) {
    for (Slot& slot : slots) {
        if (slot.state == kListed && path == slot.path.data()) {
            slot.state = kFree;
            return;
        }
    }
}

Descriptor hold_temporary_folder(const std::string& path) {
    Descriptor folder(open_folder(AT_FDCWD, path.c_str()));
    const bool is_held =
        folder.is_open() && is_locked_now(folder.get()) && fchmod(folder.get(), kHeldMode) == 0;
    return is_held ? std::move(folder) : Descriptor();
}

std::string boot_id() {
    return first_line("/proc/sys/kernel/random/boot_id");
}

std::string boot_mark(const std::filesystem::path& parent, const std::string& boot) {
    struct stat facts {};
    return boot.empty() || stat(parent.c_str(), &facts) != 0
               ? ""
               : fmt::format("{:016x}", derived(derived(0, boot), facts.st_dev));
}

std::string temporary_folder_pattern(const std::filesystem::path& parent, const std::string& boot) {
    const std::string mark = boot_mark(parent, boot);
    return fmt::format("{}{}{}{}", kName, mark, mark.empty() ? "" : "-", kRandom);
}

void remove_abandoned_folders(const std::filesystem::path& parent, const std::string& boot) {
    if (boot.empty()) {
        return;
    }
    const std::string pattern = temporary_folder_pattern(parent, boot);
    const Descriptor among(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::error_code error;
    std::filesystem::directory_iterator entries(parent, error);
    for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        const Descriptor folder(is_like(name, pattern) ? open_folder(among.get(), name.c_str())
                                                       : -1);
        if (folder.is_open() && is_taken_over(folder.get())) {
            remove_content(folder.get(), kMaxDepth - 1);
            unlinkat(among.get(), name.c_str(), AT_REMOVEDIR);
        }
    }
}

}  // namespace ptp
