#include "engine/component/crash.hpp"
#include "engine/swap/trial.hpp"

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// The child looks at the limit itself, and then has to end.
constexpr TrialLimit kGrace{10};

constexpr char kDone = '.';
constexpr const char* kStderrFile = "child.txt";

class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_, O_CLOEXEC) != 0) {
            throw std::runtime_error(fmt::format("no pipe: {}", std::strerror(errno)));
        }
    }
    ~Pipe() {
        ::close(ends_[0]);
        close_writing();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int reading() const { return ends_[0]; }
    [[nodiscard]] int writing() const { return ends_[1]; }

    void close_writing() {
        if (ends_[1] >= 0) {
            ::close(std::exchange(ends_[1], -1));
        }
    }

private:
    int ends_[2] = {-1, -1};
};

void write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(file, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) {
            return;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

// The threads of the parent are not here: neither its loaders nor a pool of libtorch's.
[[noreturn]] void run_child(int out, const fs::path& folder, TrialLimit limit,
                            const std::function<void()>& work) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM}) {
        std::signal(signal, SIG_DFL);
    }
    const int words =
        ::open((folder / kStderrFile).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(words, STDOUT_FILENO);
    ::dup2(words, STDERR_FILENO);
    std::string result(1, kDone);
    try {
        const CrashReport crash(folder);
        at::set_num_threads(1);
        try_in_thread(limit, work);
    } catch (const std::exception& error) {
        result = error.what();
    } catch (...) {
        result = "an exception of an unknown type";
    }
    write_all(out, result);
    ::_exit(0);
}

// What the child wrote, or nothing if it does not end in time.
std::string read_until(int in, TrialLimit limit) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
    std::string text;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        pollfd wanted{in, POLLIN, 0};
        const int count =
            left.count() <= 0 ? 0 : ::poll(&wanted, 1, static_cast<int>(left.count()) + 1);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            throw std::runtime_error(
                fmt::format("the child process has not ended after {:g} s", limit.count()));
        }
        char bytes[4096];
        const ssize_t size = ::read(in, bytes, sizeof bytes);
        if (size == 0) {
            return text;
        }
        text.append(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
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

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

void try_in_process(TrialLimit limit, const fs::path& folder, const std::function<void()>& work) {
    fs::create_directories(folder);
    Pipe pipe;
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error(fmt::format("no child process: {}", std::strerror(errno)));
    }
    if (child == 0) {
        run_child(pipe.writing(), folder, limit, work);
    }
    pipe.close_writing();  // so that the child's end is seen
    std::string result;
    try {
        result = read_until(pipe.reading(), limit + kGrace);
    } catch (...) {
        ::kill(child, SIGKILL);
        wait_for(child);
        throw;
    }
    const int status = wait_for(child);
    if (WIFSIGNALED(status)) {
        const std::string words = last_line(folder / kStderrFile);
        throw std::runtime_error(words.empty() ? fmt::format("the child process was ended by SIG{}",
                                                             sigabbrev_np(WTERMSIG(status)))
                                               : words);
    }
    if (result != std::string(1, kDone)) {
        throw std::runtime_error(result.empty() ? "a new component ended the child process that it "
                                                  "was tried in: a component must not "
                                                  "end the process"
                                                : result);
    }
}

}  // namespace ptp::engine
