#include "bounded_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace ptp::ptprun {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;

std::string reason(int code) {
    return std::generic_category().message(code);
}

// The reading and the writing end of a pipe.
class Pipe {
public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
            error_ = errno;
        }
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int error() const { return error_; }
    [[nodiscard]] int reading() const { return ends_[0]; }
    [[nodiscard]] int writing() const { return ends_[1]; }
    void close_writing() { close_end(1); }

private:
    void close_end(std::size_t which) {
        if (ends_.at(which) >= 0) {
            close(ends_.at(which));
        }
        ends_.at(which) = -1;
    }

    std::array<int, 2> ends_ = {-1, -1};
    int error_ = 0;
};

int spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
          int output, pid_t& child) {
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int status =
        posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

// Reads until the other end is closed. The problem, if it is not closed in time.
std::string read_until(int descriptor, Clock::time_point deadline, std::string& output) {
    std::array<char, 4096> piece{};
    while (output.size() <= kMaxOutput) {
        const auto rest =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wanted = {descriptor, POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(std::max<long>(rest, 0)));
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready == 0) {
            return "no answer within";
        }
        const ssize_t count = ready < 0 ? -1 : read(descriptor, piece.data(), piece.size());
        if (count == 0) {
            return "";
        }
        if (count < 0 && errno != EINTR) {
            return fmt::format("its answer cannot be read: {}", reason(errno));
        }
        output.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return "its answer is too long";
}

}  // namespace

BoundedResult run_bounded(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit) {
    const Clock::time_point deadline = Clock::now() + limit;
    const std::string name = program.filename().string();
    Pipe pipe;
    pid_t child = 0;
    const int error =
        pipe.error() != 0 ? pipe.error() : spawn(program, arguments, pipe.writing(), child);
    if (error != 0) {
        return {"", fmt::format("{} cannot be started: {}", name, reason(error))};
    }
    pipe.close_writing();
    BoundedResult result;
    result.problem = read_until(pipe.reading(), deadline, result.output);
    if (result.problem == "no answer within") {
        result.problem += fmt::format(" {} s", std::chrono::duration<double>(limit).count());
    }
    if (!result.problem.empty()) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (result.problem.empty() && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
        result.problem = WIFSIGNALED(status)
                             ? fmt::format("{} was ended by signal {}", name, WTERMSIG(status))
                             : fmt::format("{} has failed ({})", name, WEXITSTATUS(status));
    }
    return result;
}

}  // namespace ptp::ptprun
