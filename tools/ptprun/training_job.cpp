// Makes the engine's request of a training, and queries the git repository of its experiment.

#include "training_job.hpp"

#include "base/number.hpp"
#include "base/started_program.hpp"
#include "base/text.hpp"
#include "plugin/search_path.hpp"
#include "request_options.hpp"
#include "run/paths.hpp"
#include "training_options.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeLimit(2);
constexpr std::size_t kMaxOutput = std::size_t{1} << 20U;

// Returns why a process has not exited with 0; "" if it has.
std::string problem_of(const std::string& name, int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("{} was ended by signal {}", name, WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        return fmt::format("{} has failed ({})", name, WEXITSTATUS(status));
    }
    return "";
}

engine::GitState parse_state(const std::string& answer, bool& is_none) {
    engine::GitState state;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        const std::string key = line.substr(0, space);
        const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
        if (key == "commit") {
            state.commit = value;
        } else if (key == "clean" || key == "changed") {
            state.is_clean = key == "clean";
        } else if (key == "none") {
            is_none = true;
        } else if (key == "problem") {
            state.problem = value;
        }
    }
    return state;
}

// Returns the folder, or the nearest one above it, that may be a repository, or a bare one, which
// contains HEAD: libgit2 decides whether it is. nullopt if there is none.
std::optional<fs::path> possible_repository(fs::path folder) {
    const auto has = [&](const char* name) {
        std::error_code error;
        return fs::symlink_status(folder / name, error).type() != fs::file_type::not_found;
    };
    for (;; folder = folder.parent_path()) {
        if (has(".git") || has("HEAD")) {
            return folder;
        }
        if (!folder.has_relative_path()) {
            return std::nullopt;
        }
    }
}

}  // namespace

struct GitStateQuery::Asked {
    std::string name;     // name of the program
    std::string problem;  // why it was not started; "" if it was
    fs::path repository;  // a possible repository
    std::optional<StartedProgram> program;

    void start(const fs::path& path, const std::string& folder);
    std::string read(std::string& output);
};

// Starts exactly this file, without input.
void GitStateQuery::Asked::start(const fs::path& path, const std::string& folder) {
    name = path.filename().string();
    try {
        program.emplace(StartedProgram::for_output(path, {folder}));
    } catch (const std::system_error& error) {  // out of file descriptors
        problem = fmt::format("{} cannot be started: {}", name, error.code().message());
    }
}

// Appends the program's output to `output` and returns an error.
std::string GitStateQuery::Asked::read(std::string& output) {
    try {
        if (program->read(output, kMaxOutput, kTimeLimit)) {
            return problem_of(name, program->wait());
        }
    } catch (const std::system_error& error) {
        return fmt::format("its answer cannot be read: {}", error.code().message());
    }
    return output.size() > kMaxOutput ? "its answer is too long"
                                      : fmt::format("no answer within {} s", kTimeLimit.count());
}

GitStateQuery::GitStateQuery(const fs::path& file) {
    std::error_code error;
    const fs::path folder = fs::absolute(file).parent_path();
    const fs::path real = fs::weakly_canonical(folder, error);
    if (const auto repository = possible_repository(error ? folder : real)) {
        asked_ = std::make_unique<Asked>();
        asked_->repository = *repository;
        asked_->start(
            plugin::executable_path().parent_path() / PTP_LIBEXEC_FOLDER / "ptp-git-state",
            folder.string());
    }
}

GitStateQuery::~GitStateQuery() = default;

engine::GitState GitStateQuery::answer() {
    if (asked_ == nullptr) {
        return {};
    }
    if (!asked_->problem.empty()) {
        return {.problem = asked_->problem};
    }
    std::string output;
    const std::string problem = asked_->read(output);
    bool is_none = false;
    engine::GitState state = parse_state(output, is_none);
    std::error_code ignored;
    if (!problem.empty()) {
        state.problem = problem;
    } else if (is_none && fs::exists(fs::symlink_status(asked_->repository / ".git", ignored))) {
        state.problem = fmt::format(
            "{0}/.git is there, but is not a repository that this user may read: where it belongs to "
            "another user, `git config --global --add safe.directory {0}` allows it; else it is damaged",
            asked_->repository.string());
    }
    return state;
}

// A run in the folder of all runs would hide the others, and `last` could not be found.
void refuse_folder_of_runs(const fs::path& folder, const std::string& name) {
    std::error_code ignored;  // an absent folder counts as itself
    const fs::path root = run::runs_root();
    if (fs::weakly_canonical(folder / "", ignored) == fs::weakly_canonical(root / "", ignored)) {
        throw UsageError(fmt::format(
            "--run-dir {0}: is the folder of all runs; without --run-dir the run is {2}; PTP_RUNS=DIR "
            "names another folder of all\n"
            "    fix: --run-dir {1}",
            folder.string(), shell_word((root / name).string()), (root / name / "TIME").string()));
    }
}

engine::RunRequest training_job(const Given& given, const host::Prepared& prepared,
                                GitStateQuery& git) {
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (const std::filesystem::path made = launched_run_folder(); !made.empty()) {
        request.run_folder = made;
    } else if (given.has("run-dir")) {
        request.run_folder = given.text("run-dir");
        refuse_folder_of_runs(*request.run_folder, prepared.experiment.name);
    }
    apply_console_options(given, request);
    request.tags = given.texts("tag");
    request.is_profiled = given.has("profile");
    request.is_fast_dev_run = given.has("fast-dev-run");
    if (request.is_fast_dev_run) {
        request.trial = "a fast development run: one batch of each set";
        request.trial_kind = "fast_dev_run";
    } else if (given.has("overfit")) {
        const std::int64_t batches = *given.integer("overfit");
        request.trial = fmt::format("overfitting: training and validation are the first {}",
                                    batches == 1 ? "batch" : fmt::format("{} batches", batches));
        request.trial_kind = "overfit";
    }
    request.command_line = {"ptprun"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    request.adapts_threads = adapts_threads(given);
    request.git = git.answer();
    return request;
}

}  // namespace ptp::ptprun
