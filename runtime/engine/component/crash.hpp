// Last words: when the process crashes, which plugin and component was being called.

#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

namespace ptp::engine {

// As long as it lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) on any thread is reported
// on the standard error and in run.log, and recorded in status.json of the run's folder; the
// process then ends by the signal, as it would have without. A component that calls exit() is
// reported in the same way, and the process ends with kPluginError. One at a time in a process.
// [main]
class CrashReport {
public:
    explicit CrashReport(const std::filesystem::path& run_folder);
    ~CrashReport();
    CrashReport(const CrashReport&) = delete;
    CrashReport& operator=(const CrashReport&) = delete;

    static constexpr std::size_t kSignalCount = 5;

private:
    std::array<struct sigaction, kSignalCount> old_actions_;
};

// What status.json has after the exit code of a crash: run::crash_rest(). [main]
void remember_for_crash(std::string rest_of_status);

// Without it, the report of a crash on this thread does not name the call: the report finds the
// call through the thread, needs a stack of its own, because the thread's may be full, and signals
// that the thread does not block. [any]
void prepare_thread_for_crash();

}  // namespace ptp::engine
