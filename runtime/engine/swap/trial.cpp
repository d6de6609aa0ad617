// The child process in which a plugin's code is tried, which a time limit or a crash may end.

#include "engine/swap/trial.hpp"

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/signals.hpp"
#include "engine/component/call.hpp"
#include "engine/component/crash.hpp"

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>  // memfd_create()
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// The child ends itself at the limit, with this status; should it fail to, it is killed later.
constexpr TrialLimit kGrace{10};
constexpr int kIsLate = 113;

// The child returns kDone and the result, or an error with its parts.
constexpr char kDone = '.';
constexpr char kFailed = '!';
constexpr char kBeforeFix = '\0';
constexpr off_t kMaxOutput = off_t{1} << 26U;  // 64 MiB

// Returns a file for what the child prints, in memory, because a full disk would refuse a real one.
Descriptor output_buffer() {
    Descriptor memory(::memfd_create("ptp-swap-trial", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory.is_open() || ::ftruncate(memory.get(), kMaxOutput) != 0 ||
        ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_GROW) != 0) {
        throw std::system_error(errno, std::generic_category(),
                                "no memory for what a new component prints");
    }
    return memory;
}

// The place of the working thread's innermost call; set before the timer starts.
Call* const* watched_call = nullptr;

// Ends the child at the limit, with a last line of output that names the call that was not done. It
// makes only calls that are safe in a signal handler.
void end_late(int) {
    const Call* const call = *watched_call;
    const CallName name = call == nullptr ? CallName() : call->name();
    for (const char* const part : {"\n", name.subject, call == nullptr ? "" : ": ", name.work}) {
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) {
            break;
        }
    }
    ::_exit(kIsLate);
}

// Ends the process by end_late() unless it is destroyed within the limit.
class LimitTimer {
public:
    explicit LimitTimer(TrialLimit limit) {
        watched_call = Call::place_of_current();
        struct sigaction action {};
        action.sa_handler = end_late;
        sigaction(SIGALRM, &action, nullptr);
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
        set(std::max(limit, TrialLimit(1e-6)));
    }
    ~LimitTimer() { set(TrialLimit(0)); }
    LimitTimer(const LimitTimer&) = delete;
    LimitTimer& operator=(const LimitTimer&) = delete;

private:
    static void set(TrialLimit limit) {
        const auto microseconds = std::chrono::ceil<std::chrono::microseconds>(limit).count();
        itimerval timer{};
        timer.it_value = {microseconds / 1'000'000, microseconds % 1'000'000};
        ::setitimer(ITIMER_REAL, &timer, nullptr);
    }
};

// Works in the child, which has no threads of the parent: neither its loaders nor libtorch's pool.
std::string work_as_child(const fs::path& folder, int output, TrialLimit limit,
                          c10::function_ref<std::string()> work) {
    for (const int signal : kCrashSignals) {
        std::signal(signal, SIG_DFL);
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    try {
        const CrashReport crash(folder);
        at::set_num_threads(1);
        const LimitTimer timer(limit);
        return kDone + work();
    } catch (const std::exception& error) {
        const auto [reason, fix] = explanation_of(error);
        return kFailed + reason + kBeforeFix + fix;
    } catch (...) {
        return kFailed + std::string("an exception of an unknown type");
    }
}

// Returns the output of the child, which leaves the file position at its end.
std::string printed_by(const Descriptor& output) {
    std::string text(static_cast<std::size_t>(::lseek(output.get(), 0, SEEK_CUR)), '\0');
    const ssize_t got = ::pread(output.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

// Returns the last line of the output that is not empty.
std::string last_line(const Descriptor& output) {
    std::istringstream in(printed_by(output));
    std::string last;
    for (std::string line; std::getline(in, line);) {
        last = line.empty() ? last : line;
    }
    constexpr std::string_view kProgram = "ptprun: error: ";
    return last.starts_with(kProgram) ? last.substr(kProgram.size()) : last;
}

[[noreturn]] void refuse_late(const Descriptor& output, TrialLimit limit) {
    const std::string text = printed_by(output);
    const std::string call = text.substr(text.rfind('\n') + 1);  // of end_late()
    throw WithFix<std::runtime_error>(
        {fmt::format("{}{}is not done after {:g} s", call, call.empty() ? "" : " ", limit.count()),
         "make it quicker, or give it more time with swap.time_limit"});
}

std::string signal_name(int signal) {
    const char* const name = sigabbrev_np(signal);  // nullptr for real-time signals
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

void try_in_process(TrialLimit limit, const fs::path& folder, c10::function_ref<void()> work) {
    static_cast<void>(result_in_process(limit, folder, [&] {
        work();
        return std::string();
    }));
}

std::string result_in_process(TrialLimit limit, const fs::path& folder,
                              c10::function_ref<std::string()> work) {
    fs::create_directories(folder);
    const TrialLimit limit_of_child = limit + kGrace;
    const Descriptor output = output_buffer();
    const auto begin = std::chrono::steady_clock::now();
    const ChildEnd end = run_in_child(
        [&] { return work_as_child(folder, output.get(), limit, work); }, limit_of_child);
    if (end.has_timed_out) {
        throw std::runtime_error(
            fmt::format("the child process has not ended after {:g} s", limit_of_child.count()));
    }
    const bool is_over = std::chrono::steady_clock::now() - begin >= limit;
    if (is_over && WIFEXITED(end.status) && WEXITSTATUS(end.status) == kIsLate) {
        refuse_late(output, limit);
    }
    if (WIFSIGNALED(end.status)) {
        const std::string last = last_line(output);
        throw std::runtime_error(last.empty() ? "the child process was ended by " +
                                                    signal_name(WTERMSIG(end.status))
                                              : last);
    }
    if (end.output.empty()) {
        throw WithFix<std::runtime_error>(
            {"a new component ended the child process that it was tried in",
             "let it throw an exception instead of ending the process"});
    }
    std::string result = end.output.substr(1);
    if (end.output.front() == kFailed) {
        const std::size_t reason = std::min(result.find(kBeforeFix), result.size());
        const std::size_t fix = std::min(reason + 1, result.size());
        throw WithFix<std::runtime_error>({result.substr(0, reason), result.substr(fix)});
    }
    return result;
}

TrialPhase::TrialPhase(SwapPhase first) {
    enter(first);
}

void TrialPhase::note(const SwapError& error) {
    shared_->phase = error.phase();
    shared_->refused_for = error.refused_for();
    shared_->code = error.code();
}

SwapError TrialPhase::error(const Explanation& cause) const {
    return {shared_->phase, cause, shared_->refused_for, shared_->code};
}

}  // namespace ptp::engine
