#include "runs/training_process.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace ptp::test {

namespace {

std::vector<std::string> process_arguments(const ExperimentFolder& folder,
                                           const std::string& name) {
    return {(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder(name),
            "--verbose"};
}

}  // namespace

TrainingProcess::TrainingProcess(const std::vector<std::string>& arguments,
                                 const std::map<std::string, std::string>& environment) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const std::string program = (build_dir() / "bin" / "ptprun").string();
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<char*> pointers = pointers_to(words);
    child_ = fork();
    if (child_ == 0) {
        dup2(ends[1], STDOUT_FILENO);
        unsetenv("PTP_PLUGIN_PATH");
        setenv("OMP_NUM_THREADS", "1", 1);
        for (const auto& [name, value] : environment) {
            setenv(name.c_str(), value.c_str(), 1);
        }
        execv(program.c_str(), pointers.data());
        _exit(126);
    }
    close(ends[1]);
    output_ = ends[0];
}

TrainingProcess::TrainingProcess(const ExperimentFolder& folder, const std::string& name)
    : TrainingProcess(process_arguments(folder, name)) {}

TrainingProcess::~TrainingProcess() {
    if (child_ > 0) {
        end_with(SIGKILL);
    }
    stop_reading();
}

bool TrainingProcess::wait_for_lines(const std::string& word, int count) {
    std::string line;
    char c = 0;
    while (count > 0 && read(output_, &c, 1) == 1) {
        line += c;
        if (c == '\n') {
            count -= line.find(word) != std::string::npos ? 1 : 0;
            line.clear();
        }
    }
    return count == 0;
}

bool TrainingProcess::read_for(int milliseconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd ready{output_, POLLIN, 0};
        if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) == 0) {
            return true;
        }
        if (read(output_, buffer.data(), buffer.size()) <= 0) {
            return false;
        }
    }
}

void TrainingProcess::stop_reading() {
    if (output_ >= 0) {
        close(std::exchange(output_, -1));
    }
}

void TrainingProcess::signal(int signal) const {
    kill(child_, signal);
}

int TrainingProcess::end_with(int signal) {
    kill(child_, signal);
    std::array<char, 4096> buffer{};
    while (output_ >= 0 && read(output_, buffer.data(), buffer.size()) > 0) {
    }
    int status = 0;
    waitpid(std::exchange(child_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace ptp::test
