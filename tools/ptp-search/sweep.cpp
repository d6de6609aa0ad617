// Sweeps and cross-validations: their runs, what is reported of them, and the exit code.

#include "ptp-search/search.hpp"

#include "base/duration.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/stopwatch.hpp"
#include "distributed/program.hpp"
#include "ptp-runs/runs_view.hpp"
#include "ptp-search/cost.hpp"
#include "ptprun/fold.hpp"
#include "ptprun/report.hpp"
#include "ptprun/results_folder.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/sweep_points.hpp"
#include "ptprun/training_options.hpp"
#include "run/read_run.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace ptp::search {

using namespace ptprun;

namespace fs = std::filesystem;

namespace {

std::vector<PlannedRun> planned(const std::vector<SweepPoint>& points, std::int64_t folds) {
    std::vector<PlannedRun> runs;
    for (const SweepPoint& point : points) {
        if (folds == 0) {
            runs.push_back({point, ""});
        }
        for (std::int64_t fold = 0; fold < folds; ++fold) {
            PlannedRun run{point, fmt::format("{}/{}", fold, folds)};
            run.point.label += fmt::format("{}fold={}", point.label.empty() ? "" : " ", fold);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

SharedFolder description_of(const PlannedRuns& runs, const SweepOptions& options) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        names.push_back(runs.name(i));
    }
    return {.file = kSweepFile,
            .what = "sweep",
            .content = {{"experiment_sha256", sha256_of_file(runs.file())},
                        {"runs", names},
                        {"options", options.passed_on}}};
}

// The runs of a sweep, and their summary.
class Sweep : public Jobs {
public:
    // `is_one_experiment`: the runs differ in the fold alone.
    Sweep(const PlannedRuns& runs, const SweepOptions& options, bool is_one_experiment)
        : runs_(runs),
          options_(options),
          warnings_(runs),
          refusals_(runs, is_one_experiment ? 1 : 2) {
        join_shared(runs.parent(), description_of(runs, options));  // so that --share continues it
        if (options.is_shared) {
            claims_.emplace(runs.parent(), run::this_process(), run::this_machine());
        }
    }

    // Returns the number of runs that are not done, and not by this process.
    [[nodiscard]] std::size_t count_elsewhere(const QueueEnd& end) const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < runs_.size() && claims_; ++i) {
            count += end.codes[i] == -1 && state(i) != "done" ? 1 : 0;
        }
        return count;
    }

    void show_warnings() { warnings_.show(); }

private:
    std::optional<Job> claim(std::size_t job) override {
        return claims_ ? claimed(job) : runs_.first_job(job);
    }
    void begun(std::size_t job) override {
        first_ = first_ ? first_ : Begun{job, Stopwatch()};
        say_progress(options_, fmt::format("{}: begins", runs_.title(job)));
    }
    void ended(std::size_t job, const JobEnd& end) override {
        warnings_.read(job);
        say_end(job, end.code);
        if (first_ && first_->job == job && end.code == kDone && !claims_) {
            const std::string remaining =
                text_of_remaining(first_->time.seconds(), runs_.size(), options_.jobs);
            if (!remaining.empty()) {
                say_progress(options_, remaining);
            }
        }
    }
    void refused(std::size_t job, const std::string& reason) override {
        say_failure(fmt::format("{}: ended with {}: {}", runs_.title(job),
                                static_cast<int>(kTrainingError), reason));
    }

    // Returns whether all ended runs were refused for one reason, which will be that of the others.
    bool is_last(std::size_t job, const JobEnd& end) override {
        return refusals_.add(job, end.code) && !claims_;
    }

    // The job, where no other process has it. What a process that is gone has begun continues.
    [[nodiscard]] std::optional<Job> claimed(std::size_t job) {
        wait_for_orphan(job);
        if (!is_left(job) || !claims_->claim(runs_.name(job)) || !is_left(job)) {
            return std::nullopt;
        }
        return runs_.next_job(job);
    }

    [[nodiscard]] std::string state(std::size_t job) const {
        return run::read_run(runs_.folder(job), run::this_machine()).state;
    }

    // A run whose worker was killed saves its state and ends, within an episode as a rule; until
    // then no process could continue with it.
    void wait_for_orphan(std::size_t job) const {
        constexpr std::chrono::milliseconds kLook{50};
        constexpr std::chrono::seconds kPatience{30};
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (state(job) != "done" && !is_left(job) && !claims_->is_with_other(runs_.name(job)) &&
               std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(kLook);
        }
    }

    [[nodiscard]] bool is_left(std::size_t job) const {
        const run::Machine machine = run::this_machine();
        const run::Run run = run::read_run(runs_.folder(job), machine);
        return run.state != "done" && !is_active(run, machine);
    }

    void say_end(std::size_t job, int code) const {
        const run::Run run = run::read_run(runs_.folder(job), run::this_machine());
        if (code != kDone) {
            const std::string last = runs_.last_words(job, run.reason);
            say_failure(fmt::format("{}: ended with {}{}{}", runs_.title(job), code,
                                    last.empty() ? "" : ": ", last));
        } else if (run.best) {
            const run::Judged judged = run::judged(run);
            say_progress(options_,
                         fmt::format("{}: done in {}, best {} {} in epoch {}", runs_.title(job),
                                     duration_text(run.seconds, DurationStyle::kTable), judged.name,
                                     run::number_text(judged.value), run.best->epoch));
        } else {
            say_progress(options_, fmt::format("{}: done", runs_.title(job)));
        }
    }

    const PlannedRuns& runs_;
    const SweepOptions& options_;
    RunWarnings warnings_;
    std::optional<Claims> claims_;
    struct Begun {
        std::size_t job = 0;
        Stopwatch time;
    };
    std::optional<Begun> first_;  // of all runs
    Refusals refusals_;
};

int exit_code_of(const QueueEnd& end) {
    if (end.signal != 0) {
        return distributed::exit_code_for(end.signal);
    }
    const auto failed = std::ranges::find_if(end.codes, [](int code) { return code > 0; });
    return failed == end.codes.end() ? kDone : *failed;
}

// Returns the options that a run does not keep by itself.
Strings resumed_with(const Given& given) {
    Strings words;
    for (const char* option : {"threads", "nproc", "restarts", "min-nproc", "quiet", "verbose",
                               "json", "show", "watch"}) {
        if (given.has(option)) {
            words.push_back(fmt::format("--{}", option));
        }
        if (const std::string value = given.text(option); !value.empty()) {
            words.push_back(value);
        }
    }
    return words;
}

// Returns the seed of the sweep in a folder; nullopt if there is none, or a broken one.
std::optional<std::string> recorded_seed(const fs::path& folder) {
    const fs::path file = folder / kSweepFile;
    std::error_code ignored;
    const auto sweep = fs::exists(file, ignored) ? parsed_json(read_text(file)) : std::nullopt;
    const Json options = sweep && sweep->is_object() ? sweep->value("options", Json()) : Json();
    for (std::size_t i = 1; options.is_array() && i < options.size(); ++i) {
        if (options[i - 1] == "--seed" && options[i].is_string()) {
            return options[i].get<std::string>();
        }
    }
    return std::nullopt;
}

// All runs have the seed that one of them would draw, as if it had been typed: they differ in what
// varies alone. Processes that share a sweep know the same of it, and one that continues it takes
// its seed.
std::string draw_common_seed(const host::Request& request, SweepOptions& options) {
    constexpr int kHexadecimal = 16;
    constexpr std::size_t kDigits = 8;
    const auto recorded = options.is_shared ? recorded_seed(options.folder) : std::nullopt;
    const unsigned long drawn =
        options.is_shared
            ? std::stoul(sha256_of_file(request.file).substr(0, kDigits), nullptr, kHexadecimal)
            : std::random_device()();
    const std::string seed = recorded ? *recorded : fmt::format("{}", drawn);
    options.passed_on.insert(options.passed_on.end(), {"--seed", seed});
    return ", all with --seed " + seed;
}

// Prints the table of the runs, the number of those that were not begun, and how a sweep that was
// stopped continues.
void report_end(const PlannedRuns& runs, const SweepOptions& options, const QueueEnd& end) {
    const auto found = run::find_runs(runs.parent().lexically_normal(), run::this_machine());
    if (!found.empty() && !options.is_quiet) {
        runs::print_sweep(found);
    } else if (found.empty() && !options.is_shared && exit_code_of(end) == kConfigurationError) {
        const auto first = std::ranges::find(end.codes, kConfigurationError) - end.codes.begin();
        report_refusal(runs, static_cast<std::size_t>(first));  // a refused run leaves no folder
    }
    const auto left_out =
        options.is_shared && end.signal == 0 ? 0 : std::ranges::count(end.codes, -1);
    if (left_out > 0) {
        say_failure(fmt::format("{} of {} runs were not begun", left_out, runs.size()));
    }
    if (end.signal != 0) {
        say_progress(options, fmt::format("to continue: the same command with --share --run-dir {}",
                                          runs.parent().string()));
    }
}

// Returns how they are cut, where the samples have classes, which might be wanted in the same
// proportions.
std::string text_of_folds(const experiment::Sampler& sampler, bool has_classes) {
    return sampler.get<experiment::KFoldRandomSampler>() == nullptr || !has_classes
               ? ""
               : "\nthe folds are cut at random; --stratified gives each its part of each class";
}

// Checks all, then trains each in a process and a folder of its own, and prints a table of the
// runs. Returns 0 if all are done, 128 and the signal that stopped it, or else the exit code of the
// first run that failed.
int run_sweep(host::Request request, SweepOptions options) {
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(subject, options.folds > 0 ? "cv" : "");
    }
    request.file = subject.experiment;
    const auto points = points_of(request);
    if (points.empty()) {
        return kConfigurationError;
    }
    host::Request with_fold = request;
    if (options.folds > 0) {
        hold_out(
            with_fold,
            {.number = 0, .count = options.folds, .is_stratified = options.has_stratified_folds});
    }
    const SweepCheck checked = check_sweep(with_fold, points);
    if (const int code = refuse_equal(points, checked); code != kDone) {
        return code;
    }
    if (!options.is_shared) {
        require_one_process("a sweep without --share");
    }
    const distributed::Place place = take_place_from_environment();
    const fs::path folder = options.is_shared
                                ? shared_folder(options.folder)
                                : new_results_folder(options.folder, checked.first->name);
    divide_cores(options.jobs * options.processes * static_cast<std::size_t>(place.local_size));
    const std::string seed = checked.first->seed ? "" : draw_common_seed(request, options);
    const PlannedRuns runs(request.file, planned(points, options.folds), folder, options);
    Sweep sweep(runs, options, options.folds > 0 && points.size() == 1);
    say_progress(options, fmt::format("{} runs in {}{}", runs.size(), folder.string(), seed) +
                              (options.folds > 0 ? text_of_folds(*checked.first->training.sampler,
                                                                 checked.has_classes)
                                                 : ""));
    if (const auto many = many_folds(options.folds, runs.size(), checked.first->training)) {
        show_warning(many->reason, many->fix);
    }
    const QueueEnd end = run_jobs(sweep, runs.size(), options.jobs);
    sweep.show_warnings();
    if (const std::size_t elsewhere = sweep.count_elsewhere(end);
        elsewhere > 0 && end.signal == 0) {
        say_progress(options,
                     fmt::format("{} of {} runs are with other processes", elsewhere, runs.size()));
    } else {
        report_end(runs, options, end);
    }
    return exit_code_of(end);
}

}  // namespace

SweepOptions sweep_options(const Given& given) {
    return {.passed_on = given.options_without({"set", "run-dir", "jobs", "folds", "share"}),
            .resumed_with = resumed_with(given),
            .folder = given.text("run-dir"),
            .jobs = static_cast<std::size_t>(given.integer("jobs").value_or(1)),
            .processes = static_cast<std::size_t>(given.integer("nproc").value_or(1)),
            .is_shared = given.has("share"),
            .is_quiet = given.has("quiet")};
}

int sweep(const Given& given) {
    return run_sweep(training_request(given), sweep_options(given));
}

int cross_validate(const Given& given) {
    SweepOptions options = sweep_options(given);
    options.folds = *given.integer("folds");
    options.has_stratified_folds = given.has("stratified");
    return run_sweep(training_request(given), std::move(options));
}

}  // namespace ptp::search
