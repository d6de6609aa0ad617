#include "sweep.hpp"

#include "base/cores.hpp"
#include "base/exit_code.hpp"
#include "base/sha256.hpp"
#include "base/time_text.hpp"
#include "claims.hpp"
#include "experiment/render.hpp"
#include "held_out_fold.hpp"
#include "job_queue.hpp"
#include "process_options.hpp"
#include "report.hpp"
#include "run/find_runs.hpp"
#include "run/judged.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "runs_view.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <optional>
#include <set>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

// A reader of the output that goes away does not end a sweep.
void say_progress(const std::string& line) {
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

fs::path new_folder(const fs::path& parent) {
    fs::create_directories(parent);
    const std::string stamp = stamp_text(std::time(nullptr));
    fs::path folder = parent / stamp;
    for (int i = 2; !fs::create_directory(folder); ++i) {
        folder = parent / fmt::format("{}_{}", stamp, i);
    }
    return folder;
}

}  // namespace

fs::path new_results_folder(const std::string& asked_for, const std::string& name) {
    try {
        if (asked_for.empty()) {
            return new_folder(fs::path("runs") / name);
        }
        if (fs::exists(asked_for) && !(fs::is_directory(asked_for) && fs::is_empty(asked_for))) {
            throw UsageError(
                fmt::format("--run-dir {}: is there already and not empty", asked_for));
        }
        fs::create_directories(asked_for);
        return asked_for;
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
}

namespace {

// What ended a run: the last line that reports an error, or the status in its folder, because a
// full disk keeps its output from being written, or the last line.
std::string last_words(const fs::path& file, const std::string& recorded) {
    std::ifstream stream(file);
    std::string last;
    std::string error;
    for (std::string line; std::getline(stream, line);) {
        if (line.find(": error: ") != std::string::npos && !line.starts_with(' ')) {
            error = line;
        }
        if (!line.empty()) {
            last = line;
        }
    }
    return run::plain(!error.empty() ? error : !recorded.empty() ? recorded : last);
}

// As many threads for each process as keep the cores busy that this one may use, where their number
// is not set.
void divide_cores(std::size_t processes) {
    const auto cores = static_cast<std::size_t>(available_cores());
    if (processes > 1) {
        setenv("OMP_NUM_THREADS",
               fmt::format("{}", std::max<std::size_t>(cores / processes, 1)).c_str(), 0);
    }
}

// Of each combination a run, or one for each fold.
struct Planned {
    experiment::SweepPoint point;  // with the fold in its label
    std::string fold;              // "2/5"; "": none
};

std::vector<Planned> planned(const std::vector<experiment::SweepPoint>& points,
                             std::int64_t folds) {
    std::vector<Planned> runs;
    for (const experiment::SweepPoint& point : points) {
        if (folds == 0) {
            runs.push_back({point, ""});
        }
        for (std::int64_t fold = 0; fold < folds; ++fold) {
            Planned run{point, fmt::format("{}/{}", fold, folds)};
            run.point.label += fmt::format("{}fold={}", point.label.empty() ? "" : " ", fold);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

// The runs of a sweep, and their summary.
class Sweep {
public:
    Sweep(const host::Request& request, const std::vector<Planned>& runs, fs::path folder,
          const SweepOptions& options)
        : runs_(runs), folder_(std::move(folder)), file_(request.file), options_(options) {
        if (options_.is_shared) {
            join_sweep(folder_, shared());
            claims_.emplace(folder_, run::this_process(), run::this_machine());
        }
    }

    [[nodiscard]] std::vector<Job> jobs() const {
        std::vector<Job> jobs;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            jobs.push_back(new_job(i));
        }
        return jobs;
    }

    [[nodiscard]] QueueEvents events() {
        return {[this](std::size_t job) { say_progress(fmt::format("{}: begins", title(job))); },
                [this](std::size_t job, int code) { say_end(job, code); },
                [this](std::size_t job, const std::string& reason) {
                    say_progress(fmt::format("{}: ended with {}: {}", title(job),
                                             static_cast<int>(kTrainingError), reason));
                },
                claims_ ? [this](std::size_t job) { return claimed(job); }
                        : std::function<std::optional<Job>(std::size_t)>()};
    }

    // What is not done, and not by this process.
    [[nodiscard]] std::size_t count_elsewhere(const QueueEnd& end) const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < runs_.size() && claims_; ++i) {
            count += end.codes[i] == -1 && state(i) != "done" ? 1 : 0;
        }
        return count;
    }

private:
    [[nodiscard]] Job new_job(std::size_t job) const {
        Job made{{file_, "--color", "never"}, output(job)};
        for (const std::string& override : runs_[job].point.overrides) {
            made.arguments.insert(made.arguments.end(), {"--set", override});
        }
        if (!runs_[job].fold.empty()) {
            made.arguments.insert(made.arguments.end(), {"--fold", runs_[job].fold});
        }
        made.arguments.insert(made.arguments.end(), options_.passed_on.begin(),
                              options_.passed_on.end());
        made.arguments.insert(made.arguments.end(), {"--run-dir", folder(job).string()});
        return made;
    }

    // The job, where no other process has it. What a process that is gone has begun continues.
    [[nodiscard]] std::optional<Job> claimed(std::size_t job) {
        if (!is_left(job) || !claims_->claim(name(job)) || !is_left(job)) {
            return std::nullopt;
        }
        if (fs::exists(folder(job) / run::kExperimentFile)) {
            Job continued{{"resume", folder(job).string(), "--color", "never"}, output(job), true};
            if (options_.processes > 1) {
                continued.arguments.insert(continued.arguments.end(),
                                           {"--nproc", fmt::format("{}", options_.processes)});
            }
            return continued;
        }
        fs::remove_all(folder(job));  // what was begun before there was a run
        return new_job(job);
    }

    [[nodiscard]] std::string state(std::size_t job) const {
        return run::read_run(folder(job), run::this_machine()).state;
    }

    // A training of this host may outlive what has started it, for as long as it writes its last
    // checkpoint.
    [[nodiscard]] bool is_left(std::size_t job) const {
        const run::Machine machine = run::this_machine();
        const run::Run run = run::read_run(folder(job), machine);
        const bool is_active =
            run.state == "running" && run.process && run.process->host == machine.host;
        return run.state != "done" && !is_active;
    }

    [[nodiscard]] SharedSweep shared() const {
        SharedSweep made{
            .experiment = sha256_of_file(file_), .runs = {}, .options = options_.passed_on};
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            made.runs.push_back(name(i));
        }
        return made;
    }

    [[nodiscard]] fs::path folder(std::size_t job) const { return folder_ / name(job); }
    [[nodiscard]] fs::path output(std::size_t job) const { return folder_ / (name(job) + ".out"); }

    // "07_lr=0.1_seed=2"; sorted as they run.
    [[nodiscard]] std::string name(std::size_t job) const {
        const std::size_t digits = fmt::format("{}", runs_.size()).size();
        return fmt::format("{:0{}}_{}", job + 1, digits, experiment::file_name(runs_[job].point));
    }

    [[nodiscard]] std::string title(std::size_t job) const {
        return fmt::format("[{}/{}] {}", job + 1, runs_.size(), runs_[job].point.label);
    }

    void say_end(std::size_t job, int code) const {
        const run::Run run = run::read_run(folder_ / name(job), run::this_machine());
        if (code != kDone) {
            const std::string last = last_words(folder_ / (name(job) + ".out"), run.reason);
            say_progress(fmt::format("{}: ended with {}{}{}", title(job), code,
                                     last.empty() ? "" : ": ", last));
        } else if (run.best) {
            const run::Judged judged = run::judged(run);
            say_progress(fmt::format("{}: done in {}, best {} {} in epoch {}", title(job),
                                     duration_text(run.seconds, DurationStyle::kTable), judged.name,
                                     run::number_text(judged.value), run.best->epoch));
        } else {
            say_progress(fmt::format("{}: done", title(job)));
        }
    }

    const std::vector<Planned>& runs_;
    fs::path folder_;
    std::string file_;
    const SweepOptions& options_;
    std::optional<Claims> claims_;
};

// Of several processes one makes it, and all use it.
fs::path shared_folder(const fs::path& asked_for) {
    try {
        fs::create_directories(asked_for);
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
    return asked_for;
}

int exit_code_of(const QueueEnd& end) {
    if (end.signal != 0) {
        return 128 + end.signal;
    }
    const auto failed = std::ranges::find_if(end.codes, [](int code) { return code > 0; });
    return failed == end.codes.end() ? kDone : *failed;
}

}  // namespace

bool is_sweep(const host::Request& request) {
    return experiment::has_alternatives(request.overrides);
}

void refuse_sweep(const host::Request& request) {
    if (is_sweep(request)) {
        throw UsageError("a --set with several values is for trainings and for check");
    }
}

std::vector<experiment::SweepPoint> points_of(const host::Request& request) {
    Diagnostics problems;
    auto points = experiment::sweep_points(request.overrides, problems);
    if (!problems.ok()) {
        report(problems, plugin::Catalog{}, request.overrides);
    }
    return points;
}

int check_sweep(const host::Request& request, const std::vector<experiment::SweepPoint>& points,
                std::string* name) {
    std::set<std::string> said;
    std::size_t errors = 0;
    int code = kDone;
    for (const experiment::SweepPoint& point : points) {
        host::Request one = request;
        one.overrides = point.overrides;
        Diagnostics problems;
        const host::Prepared prepared = host::prepare(one, problems);
        if (name != nullptr && name->empty()) {
            *name = prepared.experiment.name;
        }
        for (const Problem& problem : problems.sorted()) {
            if (!said.insert(problem.text()).second) {
                continue;
            }
            show(problem, point.overrides);
            errors += problem.severity == Severity::kError ? 1 : 0;
        }
        if (code == kDone) {
            code = host::exit_code_for(problems, prepared.catalog);
        }
    }
    if (errors > 1) {
        fmt::print(stderr, "{}\n", experiment::count_text(errors, said.size() - errors));
    }
    return code;
}

// What every run of a sweep has in a form of its own, or what is for the sweep
// itself, is not passed on.
SweepOptions sweep_options(const Given& given) {
    return {.passed_on = given.options_without({"set", "run-dir", "jobs", "folds", "share"}),
            .folder = given.text("run-dir"),
            .jobs = static_cast<std::size_t>(given.integer("jobs").value_or(1)),
            .processes = static_cast<std::size_t>(given.integer("nproc").value_or(1)),
            .is_shared = given.has("share")};
}

int run_sweep(const host::Request& request, const SweepOptions& options) {
    const auto points = points_of(request);
    if (points.empty()) {
        return kConfigurationError;
    }
    std::string name;
    host::Request checked = request;
    if (options.folds > 0) {
        hold_out(checked, {.number = 0, .count = options.folds});
    }
    if (const int code = check_sweep(checked, points, &name); code != kDone) {
        return code;
    }
    const std::vector<Planned> runs = planned(points, options.folds);
    if (!options.is_shared) {
        require_one_process("a sweep without --share");
    }
    const distributed::Place place = leave_place();
    const fs::path folder = options.is_shared ? shared_folder(options.folder)
                                              : new_results_folder(options.folder, name);
    std::signal(SIGPIPE, SIG_IGN);
    divide_cores(options.jobs * options.processes * static_cast<std::size_t>(place.local_size));
    Sweep sweep(request, runs, folder, options);
    say_progress(fmt::format("{} runs in {}", runs.size(), folder.string()));
    const QueueEnd end = run_jobs(sweep.jobs(), options.jobs, sweep.events());
    if (const std::size_t elsewhere = sweep.count_elsewhere(end);
        elsewhere > 0 && end.signal == 0) {
        say_progress(fmt::format("{} of {} runs are with other processes", elsewhere, runs.size()));
        return exit_code_of(end);
    }
    print_sweep(run::find_runs(folder.lexically_normal(), run::this_machine()));
    const auto left_out =
        options.is_shared && end.signal == 0 ? 0 : std::ranges::count(end.codes, -1);
    if (left_out > 0) {
        say_progress(fmt::format("{} of {} runs were not begun", left_out, runs.size()));
    }
    return exit_code_of(end);
}

}  // namespace ptp::ptprun
