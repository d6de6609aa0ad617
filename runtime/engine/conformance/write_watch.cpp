#include "engine/conformance/write_watch.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
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
#include <string>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// A system call that writes: in which of its arguments the path is, and the folder where that is
// relative (-1: the current one); which has the flags of open() (-1: it always writes).
struct WritingCall {
    int number;
    int path;
    int folder = -1;
    int flags = -1;
};

constexpr std::array kWritingCalls = {
#if defined(SYS_open)  // an older machine has these besides those below
    WritingCall{SYS_open, 0, -1, 1},  WritingCall{SYS_creat, 0},
    WritingCall{SYS_mkdir, 0},        WritingCall{SYS_rename, 1},
    WritingCall{SYS_unlink, 0},       WritingCall{SYS_symlink, 1},
    WritingCall{SYS_link, 1},         WritingCall{SYS_rmdir, 0},
#endif
#if defined(SYS_renameat)
    WritingCall{SYS_renameat, 3, 2},
#endif
    WritingCall{SYS_openat, 1, 0, 2}, WritingCall{SYS_mkdirat, 1, 0},
    WritingCall{SYS_renameat2, 3, 2}, WritingCall{SYS_unlinkat, 1, 0},
    WritingCall{SYS_symlinkat, 2, 1}, WritingCall{SYS_linkat, 3, 2},
    WritingCall{SYS_truncate, 0},
};

// The sixth argument of a call that the handler makes again; none of these calls has one.
constexpr std::uint32_t kAgain = 0x7074702e;

// What a signal handler can reach.
struct Written {
    std::array<char, 512> path;
    std::array<char, 256> folder;
};
constexpr std::size_t kMaxWritten = 64;
std::array<Written, kMaxWritten> written;
std::atomic<std::size_t> written_count = 0;
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

// "/proc/self/fd/N", without memory of the heap.
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

void record(const WritingCall& call, const Arguments& arguments) {
    const std::size_t index = written_count.fetch_add(1);
    if (index >= kMaxWritten) {
        return;
    }
    Written& entry = written[index];
    const auto* const path =
        reinterpret_cast<const char*>(arguments[static_cast<std::size_t>(call.path)]);  // NOLINT
    std::strncpy(entry.path.data(), path, entry.path.size() - 1);
    const int folder = call.folder < 0
                           ? AT_FDCWD
                           : static_cast<int>(arguments[static_cast<std::size_t>(call.folder)]);
    if (folder != AT_FDCWD && entry.path[0] != '/') {
        static_cast<void>(
            ::readlink(link_of(folder).data(), entry.folder.data(), entry.folder.size() - 1));
    }
}

// In place of the call: records it, and makes it.
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

// A program of the kernel's filter, which sees number and arguments of each system call.
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
            constexpr std::uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
            lines.push_back(line(kIfEqual, number, 0, 3));
            lines.push_back(line(kLoad, argument(call.flags)));
            lines.push_back(line(kIfBits, kWrites, 0, 1));
        }
        lines.push_back(line(kReturn, SECCOMP_RET_TRAP));
    }
    lines.push_back(line(kReturn, SECCOMP_RET_ALLOW));
    return lines;
}

}  // namespace

bool WriteWatch::begin() {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    if (::sigaction(SIGSYS, &action, nullptr) != 0 ||
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    sigset_t signals;  // a thread that tries a component blocks most
    sigemptyset(&signals);
    sigaddset(&signals, SIGSYS);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    std::vector<sock_filter> lines = filter();
    sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
    is_recording = true;
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

std::vector<fs::path> WriteWatch::end() {
    is_recording = false;
    std::vector<fs::path> paths;
    const std::size_t count = std::min(written_count.load(), kMaxWritten);
    for (std::size_t i = 0; i < count; ++i) {
        const fs::path path(written[i].path.data());
        const fs::path folder(written[i].folder.data());
        paths.push_back(fs::weakly_canonical(folder.empty() ? fs::absolute(path) : folder / path));
    }
    return paths;
}

}  // namespace ptp::engine
