#include "engine/conformance/write_watch.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// A system call that writes: the arguments with its path and the folder for relative paths (-1: the
// current one); the argument with the flags of open() (-1: it always writes); and the same two for
// the path that it removes elsewhere (-1: none).
struct WritingCall {
    int number;
    int path;
    int folder = -1;
    int flags = -1;
    int from = -1;
    int from_folder = -1;
};

constexpr std::array kWritingCalls = {
#if defined(SYS_open)  // older architectures have these besides those below
    WritingCall{SYS_open, 0, -1, 1},
    WritingCall{SYS_creat, 0},
    WritingCall{SYS_mkdir, 0},
    WritingCall{SYS_rename, 1, -1, -1, 0},
    WritingCall{SYS_unlink, 0},
    WritingCall{SYS_symlink, 1},
    WritingCall{SYS_link, 1},
    WritingCall{SYS_rmdir, 0},
    WritingCall{SYS_mknod, 0},
    WritingCall{SYS_chmod, 0},
    WritingCall{SYS_chown, 0},
    WritingCall{SYS_lchown, 0},
#endif
#if defined(SYS_renameat)
    WritingCall{SYS_renameat, 3, 2, -1, 1, 0},
#endif
    WritingCall{SYS_openat, 1, 0, 2},
    WritingCall{SYS_mkdirat, 1, 0},
    WritingCall{SYS_renameat2, 3, 2, -1, 1, 0},
    WritingCall{SYS_unlinkat, 1, 0},
    WritingCall{SYS_symlinkat, 2, 1},
    WritingCall{SYS_linkat, 3, 2},
    WritingCall{SYS_truncate, 0},
    WritingCall{SYS_mknodat, 1, 0},
    WritingCall{SYS_fchmodat, 1, 0},
    WritingCall{SYS_fchownat, 1, 0},
#if defined(SYS_openat2)
    WritingCall{SYS_openat2, 1, 0},  // its flags are in memory, read by handle()
#endif
};

constexpr std::uint32_t kOpensForWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

// The sixth argument of a call that the handler repeats; none of these calls has one.
constexpr std::uint32_t kAgain = 0x7074702e;

// The memory for the signal handler: "folder\0path\0" for each write, allocated by the system on
// use.
constexpr std::size_t kMaxWritten = std::size_t{256} << 20;
constexpr std::size_t kMaxPath = 4096;
char* written = nullptr;
std::atomic<std::size_t> written_bytes = 0;
std::atomic<std::uint64_t> lost_count = 0;
std::atomic<bool> is_recording = false;

using Arguments = std::array<long, 6>;

Arguments arguments_of(const ucontext_t& context) {
#if defined(__x86_64__)
    const auto& r = context.uc_mcontext.gregs;
    return {static_cast<long>(r[REG_RDI]), static_cast<long>(r[REG_RSI]),
            static_cast<long>(r[REG_RDX]), static_cast<long>(r[REG_R10]),
            static_cast<long>(r[REG_R8]),  static_cast<long>(r[REG_R9])};
#else
    const auto& r = context.uc_mcontext.regs;
    return {static_cast<long>(r[0]), static_cast<long>(r[1]), static_cast<long>(r[2]),
            static_cast<long>(r[3]), static_cast<long>(r[4]), static_cast<long>(r[5])};
#endif
}

void set_result(ucontext_t& context, long result) {
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RAX] = result;
#else
    context.uc_mcontext.regs[0] = static_cast<unsigned long>(result);
#endif
}

// Returns "/proc/self/fd/N" without heap memory.
std::array<char, 32> link_of(int descriptor) {
    std::array<char, 32> text = {"/proc/self/fd/"};
    std::array<char, 12> digits{};
    std::size_t count = 0;
    for (auto rest = static_cast<unsigned>(descriptor); rest > 0 || count == 0; rest /= 10) {
        digits[count++] = static_cast<char>('0' + rest % 10);
    }
    std::size_t at = std::strlen(text.data());
    while (count > 0) {
        text[at++] = digits[--count];
    }
    return text;
}

void record(const Arguments& arguments, int path_argument, int folder_argument) {
    const auto* const path = reinterpret_cast<const char*>(  // NOLINT
        arguments[static_cast<std::size_t>(path_argument)]);
    if (path == nullptr) {
        return;
    }
    const int descriptor =
        folder_argument < 0
            ? AT_FDCWD
            : static_cast<int>(arguments[static_cast<std::size_t>(folder_argument)]);
    std::array<char, kMaxPath> folder;  // NOLINT: only what readlink() writes is read
    ssize_t folder_size = 0;
    if (path[0] != '/') {
        std::array<char, 32> link = {"/proc/self/cwd"};
        if (descriptor != AT_FDCWD) {
            link = link_of(descriptor);
        }
        folder_size = std::max<ssize_t>(::readlink(link.data(), folder.data(), folder.size()), 0);
    }
    const auto folder_bytes = static_cast<std::size_t>(folder_size);
    const std::size_t path_bytes = ::strnlen(path, kMaxPath);
    const std::size_t size = folder_bytes + path_bytes + 2;
    const std::size_t begin = written_bytes.fetch_add(size);
    if (begin + size > kMaxWritten) {
        ++lost_count;
        return;
    }
    std::memcpy(written + begin, folder.data(), folder_bytes);
    std::memcpy(written + begin + folder_bytes + 1, path, path_bytes);
}

bool is_write(const WritingCall& call, const Arguments& arguments) {
#if defined(SYS_openat2)
    if (call.number == SYS_openat2) {
        std::uint64_t flags = 0;
        if (const auto* const how = reinterpret_cast<const void*>(arguments[2])) {  // NOLINT
            std::memcpy(&flags, how, sizeof flags);
        }
        return (flags & kOpensForWriting) != 0;
    }
#endif
    static_cast<void>(call);
    static_cast<void>(arguments);
    return true;
}

void record(const WritingCall& call, const Arguments& arguments) {
    if (!is_write(call, arguments)) {
        return;
    }
    record(arguments, call.path, call.folder);
    if (call.from >= 0) {
        record(arguments, call.from, call.from_folder);
    }
}

// Replaces the call: records it, and makes it.
void handle(int, siginfo_t* info, void* memory) {
    const int before = errno;
    ucontext_t& context = *static_cast<ucontext_t*>(memory);
    const Arguments arguments = arguments_of(context);
    for (const WritingCall& call : kWritingCalls) {
        if (call.number == info->si_syscall && is_recording) {
            record(call, arguments);
        }
    }
    const long result = ::syscall(info->si_syscall, arguments[0], arguments[1], arguments[2],
                                  arguments[3], arguments[4], static_cast<unsigned long>(kAgain));
    set_result(context, result < 0 ? -errno : result);
    errno = before;
}

// Returns the program of the kernel's filter, which sees number and arguments of each system call.
std::vector<sock_filter> filter() {
    constexpr unsigned kLoad = BPF_LD | BPF_W | BPF_ABS;
    constexpr unsigned kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
    constexpr unsigned kIfBits = BPF_JMP | BPF_JSET | BPF_K;
    constexpr unsigned kReturn = BPF_RET | BPF_K;
    const auto argument = [](int i) {
        return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) +
               static_cast<std::uint32_t>(i) * 8U;
    };
    const auto line = [](unsigned code, std::uint32_t k, std::uint8_t yes = 0,
                         std::uint8_t no = 0) {
        return sock_filter{static_cast<std::uint16_t>(code), yes, no, k};
    };
    std::vector<sock_filter> lines = {line(kLoad, argument(5)), line(kIfEqual, kAgain, 0, 1),
                                      line(kReturn, SECCOMP_RET_ALLOW)};
    for (const WritingCall& call : kWritingCalls) {
        lines.push_back(line(kLoad, static_cast<std::uint32_t>(offsetof(seccomp_data, nr))));
        const auto number = static_cast<std::uint32_t>(call.number);
        if (call.flags < 0) {
            lines.push_back(line(kIfEqual, number, 0, 1));
        } else {
            lines.push_back(line(kIfEqual, number, 0, 3));
            lines.push_back(line(kLoad, argument(call.flags)));
            lines.push_back(line(kIfBits, kOpensForWriting, 0, 1));
        }
        lines.push_back(line(kReturn, SECCOMP_RET_TRAP));
    }
    lines.push_back(line(kReturn, SECCOMP_RET_ALLOW));
    return lines;
}

}  // namespace

bool WriteWatch::begin() {
    void* const memory = ::mmap(nullptr, kMaxWritten, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    written = static_cast<char*>(memory);
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    if (::sigaction(SIGSYS, &action, nullptr) != 0 ||
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    sigset_t signals;  // a thread that tries a component blocks most of them
    sigemptyset(&signals);
    sigaddset(&signals, SIGSYS);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    std::vector<sock_filter> lines = filter();
    sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
    is_recording = true;
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

WriteWatch::Writes WriteWatch::end() {
    is_recording = false;
    Writes writes;
    writes.lost = lost_count;
    std::set<std::string> seen;
    std::set<fs::path> known;
    const std::string_view all(written, std::min(written_bytes.load(), kMaxWritten));
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t path = std::min(all.find('\0', begin), all.size()) + 1;
        const std::size_t end = std::min(all.find('\0', path), all.size());
        const std::string entry(all.substr(begin, end - begin));
        if (path < end && seen.insert(entry).second) {
            const fs::path whole = fs::weakly_canonical(fs::path(entry.c_str()) /
                                                        std::string(all.substr(path, end - path)));
            if (known.insert(whole).second) {
                writes.paths.push_back(whole);
            }
        }
        begin = end + 1;
    }
    return writes;
}

}  // namespace ptp::engine
