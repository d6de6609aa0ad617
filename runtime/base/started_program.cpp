// Starts another program by posix_spawnp().

#include "base/started_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace ptp {

namespace {

class SpawnFiles {
public:
    SpawnFiles() { posix_spawn_file_actions_init(&files_); }
    ~SpawnFiles() { posix_spawn_file_actions_destroy(&files_); }
    SpawnFiles(const SpawnFiles&) = delete;
    SpawnFiles& operator=(const SpawnFiles&) = delete;

    // The program's output goes to the descriptor.
    void take_output(int output) {
        posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }

    [[nodiscard]] pid_t spawn(const std::filesystem::path& path,
                              std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), path.string());
        std::vector<char*> words;
        for (std::string& word : arguments) {
            words.push_back(word.data());
        }
        words.push_back(nullptr);
        pid_t process = 0;
        if (const int error =
                posix_spawnp(&process, words[0], &files_, nullptr, words.data(), environ)) {
            throw std::system_error(error, std::generic_category());
        }
        return process;
    }

private:
    posix_spawn_file_actions_t files_{};
};

}  // namespace

StartedProgram::StartedProgram(pid_t process, Descriptor output)
    : process_(process), output_(std::move(output)) {}

StartedProgram::StartedProgram(StartedProgram&& other) noexcept
    : process_(std::exchange(other.process_, 0)), output_(std::move(other.output_)) {}

StartedProgram::~StartedProgram() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

StartedProgram StartedProgram::on_terminal(const std::filesystem::path& path,
                                           const std::vector<std::string>& arguments) {
    return {SpawnFiles().spawn(path, arguments), Descriptor()};
}

StartedProgram StartedProgram::for_output(const std::filesystem::path& path,
                                          const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    Descriptor output(ends[0]);
    const Descriptor of_program(ends[1]);
    SpawnFiles files;
    files.take_output(of_program.get());
    return {files.spawn(path, arguments), std::move(output)};
}

bool StartedProgram::read(std::string& output, std::size_t most,
                          std::optional<std::chrono::milliseconds> limit) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + limit.value_or(std::chrono::milliseconds(0));
    std::array<char, 65536> part{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        pollfd readable{.fd = output_.get(), .events = POLLIN, .revents = 0};
        const int count =
            ::poll(&readable, 1, limit ? static_cast<int>(std::max<long>(0, left.count())) : -1);
        if (count == 0) {
            return false;
        }
        const ssize_t bytes = count < 0 ? count : ::read(output_.get(), part.data(), part.size());
        if (bytes < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category());
        }
        if (bytes == 0) {
            return true;
        }
        if (bytes > 0) {
            output.append(part.data(), static_cast<std::size_t>(bytes));
        }
        if (output.size() > most) {
            return false;
        }
    }
}

int StartedProgram::wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0) {
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category());
        }
    }
    process_ = 0;
    return status;
}

}  // namespace ptp
