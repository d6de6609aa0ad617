#include "child.hpp"

#include "base/child_process.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace ptp::inspect {

namespace {

std::string failure_of(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : fmt::format("ended with exit status {}", code);
}

}  // namespace

ChildResult try_in_child(const std::function<std::string()>& work, int time_limit_s) {
    ChildEnd end = run_in_child(
        [&] {
            const rlimit no_core_dump{0, 0};
            ::setrlimit(RLIMIT_CORE, &no_core_dump);
            // A sanitizer's own handler would end the process with a status instead of the signal.
            std::signal(SIGSEGV, SIG_DFL);
            return work();
        },
        std::chrono::seconds(time_limit_s));
    return {std::move(end.output), end.has_timed_out
                                       ? fmt::format("took longer than {} s", time_limit_s)
                                       : failure_of(end.status)};
}

}  // namespace ptp::inspect
