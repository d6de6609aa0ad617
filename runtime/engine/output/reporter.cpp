// Starts the reporting process, with the signals of a new program, and looks how it ends.

#include "engine/output/reporter.hpp"

#include "base/duration.hpp"
#include "base/output_file.hpp"
#include "plugin/search_path.hpp"
#include "run/paths.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr const char* kProgram = "ptp-report";
constexpr std::uintmax_t kRoom = 64U << 20U;  // bytes; a report usually has 20 MB at most
constexpr int kLessUrgent = 10;               // added to its niceness, in favor of the training

// Gives a new process the signals of one that a shell starts, a group that an interrupt from the
// terminal does not reach, nothing to read, and a file for what it prints.
class SpawnSetup {
public:
    explicit SpawnSetup(const std::filesystem::path& output) {
        posix_spawnattr_init(&attributes_);
        posix_spawn_file_actions_init(&files_);
        sigset_t signals;
        sigfillset(&signals);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP));
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        // A disk without room refuses the file: then nothing is kept of what it prints.
        std::ofstream made(output);
        const std::string path = made.good() ? output.string() : "/dev/null";
        posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, path.c_str(), O_WRONLY | O_APPEND,
                                         0);
        posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    // Returns an errno, 0 for success.
    int spawn(pid_t& process, std::vector<std::string> words) {
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        return posix_spawnp(&process, arguments[0], &files_, &attributes_, arguments.data(),
                            environ);
    }

private:
    posix_spawnattr_t attributes_{};
    posix_spawn_file_actions_t files_{};
};

// Returns the program beside this one, or its name, to be found on the path.
std::string program() {
    const std::filesystem::path beside = plugin::executable_path().parent_path() / kProgram;
    std::error_code ignored;
    return std::filesystem::exists(beside, ignored) ? beside.string() : kProgram;
}

double seconds_of(const rusage& usage) {
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns when the report was written; the least time if there is none.
std::filesystem::file_time_type last_written(const std::filesystem::path& run_folder) {
    std::error_code none;
    return std::filesystem::last_write_time(run_folder / run::kReportFile, none);
}

}  // namespace

Reporter::Reporter(experiment::Reporting settings, std::filesystem::path run_folder,
                   spdlog::logger& log, std::uint64_t peers)
    : settings_(std::move(settings)),
      run_folder_(std::move(run_folder)),
      log_(log),
      has_peers_(peers > 0) {}

Reporter::~Reporter() {
    stop();
}

void Reporter::begin(const RunInfo&) {
    has_begun_ = true;
    since_begin_.restart();
}

// Counts the last cost twice: for the next report, and for the one at the end.
bool Reporter::is_affordable() const {
    return settings_.max_share >= 1 ||
           seconds_so_far_ + 2 * last_seconds_ <= settings_.max_share * since_begin_.seconds();
}

// The row of the training set is the last of an epoch.
void Reporter::set(const SetRow& row) {
    const std::uint64_t epoch = row.position.at.epoch + 1;
    const auto every = static_cast<std::uint64_t>(settings_.every_epochs);
    if (row.set == "training" && every > 0 && epoch % every == 0 && has_ended() &&
        is_affordable()) {
        start_with_room();
    }
}

// A user who stops a run does not wait for its report, which is there a moment later; nor do other
// processes of the training, which would take this one for lost.
void Reporter::end(const RunOutcome& outcome) {
    if (!has_begun_) {
        return;
    }
    const bool waits = outcome.state != "stopped" && !has_peers_;
    if (!waits) {
        stop();
    }
    wait();
    start();
    if (!waits) {
        process_.reset();
    }
    wait();
}

void Reporter::stop() {
    if (process_) {
        ::kill(-*process_, SIGKILL);
        ::waitpid(*process_, nullptr, 0);
        process_.reset();
    }
}

// Reports beside a training must not take the last room of its checkpoints, not even for a moment.
void Reporter::start_with_room() {
    std::error_code error;
    const std::filesystem::space_info disk = std::filesystem::space(run_folder_, error);
    if (!error && disk.available < kRoom) {
        seconds_so_far_ += last_seconds_;  // as if it were written: not every epoch has a warning
        return fail(fmt::format("the disk has less than {} MiB left", kRoom >> 20U));
    }
    start();
}

void Reporter::start() {
    std::vector<std::string> words = {program(), "report", run_folder_.string(), "-o",
                                      (run_folder_ / run::kReportFile).string()};
    words.insert(words.end(), settings_.options.begin(), settings_.options.end());
    if (settings_.explanations) {  // the program finds their other settings in the run's folder
        words.insert(words.end(), {"--explain-data", settings_.explanations->section, "--explain"});
        words.insert(words.end(), settings_.explanations->methods.begin(),
                     settings_.explanations->methods.end());
    }
    SpawnSetup setup(run_folder_ / run::kReportLogFile);
    const std::filesystem::file_time_type before = last_written(run_folder_);
    pid_t process = 0;
    if (const int error = setup.spawn(process, words); error != 0) {
        return fail(fmt::format("{} cannot be started: {}", words[0],
                                std::generic_category().message(error)));
    }
    process_ = process;
    written_before_ = before;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(process), kLessUrgent);
}

bool Reporter::has_ended() {
    if (!process_) {
        return true;
    }
    int status = 0;
    rusage usage{};
    const pid_t ended = ::wait4(*process_, &status, WNOHANG, &usage);
    if (ended == 0) {
        return false;
    }
    process_.reset();
    last_seconds_ = ended > 0 ? seconds_of(usage) : last_seconds_;
    seconds_so_far_ += last_seconds_;
    const std::filesystem::path output = run_folder_ / run::kReportLogFile;
    if (ended < 0) {  // a program that embeds the engine has asked for the end of all children
        return true;
    }
    if (WIFSIGNALED(status)) {
        fail(fmt::format("{} was ended by signal {}", kProgram, WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        const std::string line = first_line(output);
        if (last_written(run_folder_) != written_before_) {
            log_.warn(fmt::format("the report is not whole, the training is as it is: {}", line));
            return true;
        }
        fail(fmt::format("{} ended with exit code {}{}", kProgram, WEXITSTATUS(status),
                         line.empty() ? "" : ": " + line));
    } else {
        std::error_code ignored;
        std::filesystem::remove(output, ignored);
    }
    return true;
}

void Reporter::wait() {
    const Stopwatch time;
    while (!has_ended()) {
        if (time.seconds() > settings_.time_limit.seconds) {
            ::kill(-*process_, SIGKILL);
            ::waitpid(*process_, nullptr, 0);
            process_.reset();
            return fail(fmt::format("{} took longer than report.time_limit = \"{}\"", kProgram,
                                    duration_text(settings_.time_limit.seconds)));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void Reporter::fail(const std::string& reason) {
    log_.warn(
        fmt::format("the report was not written, the training is as it is: {}; to write it: "
                    "ptprun report {}",
                    reason, run_folder_.string()));
}

}  // namespace ptp::engine
