// Crash reports that name the plugin and component that was being called.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::engine {

// While it exists, a crash (kCrashSignals) on any thread is reported on the standard error and in
// run.log, and recorded in status.json of the run's folder; then the signal ends the process as
// usual. A component that calls exit() is reported in the same way, and the process ends with
// kPluginError. At most one exists in a process. [main]
class CrashReport {
public:
    explicit CrashReport(const std::filesystem::path& run_folder);
    ~CrashReport();
    CrashReport(const CrashReport&) = delete;
    CrashReport& operator=(const CrashReport&) = delete;
};

// While it exists, the report of a crash in memory that a file is mapped into names the file, which
// was then cut off. At most eight are named at a time, the others reported as any crash. [any]
class CrashOnFile {
public:
    struct Memory {
        const void* begin;
        std::uint64_t size;
    };
    CrashOnFile(Memory memory, std::string_view file);
    ~CrashOnFile();
    CrashOnFile(const CrashOnFile&) = delete;
    CrashOnFile& operator=(const CrashOnFile&) = delete;

private:
    std::size_t slot_;
};

// Sets the text after the exit code in status.json after a crash: run::crash_rest(). [main]
void remember_for_crash(std::string rest_of_status);

// Prepares this thread so that the report of a crash on it names the call: the handler finds the
// call through the thread, and needs its own stack, because the thread's may be full, and signals
// that the thread does not block. [any]
void prepare_thread_for_crash();

}  // namespace ptp::engine
