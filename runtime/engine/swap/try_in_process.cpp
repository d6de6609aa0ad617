#include "base/child_process.hpp"
#include "engine/component/crash.hpp"
#include "engine/swap/trial.hpp"

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// The child looks at the limit itself, and then has to end.
constexpr TrialLimit kGrace{10};

constexpr std::string_view kDone = ".";
constexpr const char* kStderrFile = "child.txt";

// The threads of the parent are not here: neither its loaders nor a pool of libtorch's.
std::string work_as_child(const fs::path& folder, TrialLimit limit,
                          const std::function<void()>& work) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM}) {
        std::signal(signal, SIG_DFL);
    }
    const int words =
        ::open((folder / kStderrFile).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(words, STDOUT_FILENO);
    ::dup2(words, STDERR_FILENO);
    try {
        const CrashReport crash(folder);
        at::set_num_threads(1);
        try_in_thread(limit, work);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of an unknown type";
    }
    return std::string(kDone);
}

std::string last_line(const fs::path& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);) {
        last = line.empty() ? last : line;
    }
    constexpr std::string_view kProgram = "ptprun: error: ";
    return last.starts_with(kProgram) ? last.substr(kProgram.size()) : last;
}

}  // namespace

void try_in_process(TrialLimit limit, const fs::path& folder, const std::function<void()>& work) {
    fs::create_directories(folder);
    const TrialLimit limit_of_child = limit + kGrace;
    const ChildEnd end =
        run_in_child([&] { return work_as_child(folder, limit, work); }, limit_of_child);
    if (end.has_timed_out) {
        throw std::runtime_error(
            fmt::format("the child process has not ended after {:g} s", limit_of_child.count()));
    }
    if (WIFSIGNALED(end.status)) {
        const std::string words = last_line(folder / kStderrFile);
        throw std::runtime_error(words.empty() ? fmt::format("the child process was ended by SIG{}",
                                                             sigabbrev_np(WTERMSIG(end.status)))
                                               : words);
    }
    if (end.output != kDone) {
        throw std::runtime_error(
            end.output.empty()
                ? "a new component ended the child process that it was tried in: a component must "
                  "not end the process"
                : end.output);
    }
}

}  // namespace ptp::engine
