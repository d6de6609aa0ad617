// Trains the trials of a search rung by rung, beside other processes that do.

#include "ptp-search/search.hpp"

#include "base/exit_code.hpp"
#include "base/sha256.hpp"
#include "distributed/program.hpp"
#include "ptprun/sweep_points.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace ptp::search {

using namespace ptprun;

namespace {

constexpr auto kLook = std::chrono::seconds(1);  // whether other workers are done

SharedFolder description_of_search(const PlannedRuns& trials, const SearchPlan& plan,
                                   const SweepOptions& options) {
    Json rungs = Json::array();
    for (const Rung& rung : plan.rungs) {
        rungs.push_back({{"trials", rung.trials}, {"budget", rung.budget}});
    }
    Json listed = Json::array();
    for (std::size_t i = 0; i < trials.size(); ++i) {
        listed.push_back({{"run", trials.name(i)}, {"set", trials.point(i).overrides}});
    }
    return {.file = run::kSearchFile,
            .what = "search",
            .content = {{"experiment_sha256", sha256_of_file(trials.file())},
                        {"seed", plan.seed},
                        {"metric", plan.metric.name},
                        {"better", plan.metric.is_larger_better ? "larger" : "smaller"},
                        {"budget_in", plan.is_online ? "episodes" : "epochs"},
                        {"rungs", std::move(rungs)},
                        {"trials", std::move(listed)},
                        {"options", options.passed_on}}};
}

constexpr std::size_t kRefusals = 2;  // of one reason: it is not of the trials' own values

constexpr int kKilled = 128 + SIGKILL;

// Returns whether a code is of a signal that stops a worker, also one that handles none yet.
bool is_stop(int code) {
    return code == kHungUp || code == kInterrupted || code == kTerminated;
}

int failure_code(int code) {
    return code == kDone ? static_cast<int>(kTrainingError) : code;
}

class Search : public Jobs {
public:
    Search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options)
        : trials_(trials),
          plan_(plan),
          options_(options),
          claims_(trials.parent(), run::this_process(), machine_),
          warnings_(trials),
          refusals_(trials, kRefusals),
          part_begins_(trials.size()) {
        join_shared(trials.parent(), description_of_search(trials, plan, options));
        outcomes_.resize(trials.size());
        for (std::size_t trial = 0; trial < trials.size(); ++trial) {
            if (plan.equal_to[trial] == trial) {
                going_on_.push_back(trial);
            }
        }
        if (const std::size_t count = trials.size() - going_on_.size(); count > 0) {
            say_progress(options, fmt::format("{} of {} trials are equal to earlier ones, whose "
                                              "results they take",
                                              count, trials.size()));
        }
    }

    int run() {
        for (rung_ = 0; rung_ < plan_.rungs.size() && !going_on_.empty(); ++rung_) {
            say_rung();
            const std::optional<int> end = train_rung();
            warnings_.show();
            if (end) {
                return *end;
            }
            judge_rung();
        }
        for (std::size_t trial = 0; trial < trials_.size(); ++trial) {
            if (const std::size_t equal = plan_.equal_to[trial]; equal != trial) {
                outcomes_[trial] = outcomes_[equal];
                outcomes_[trial].equal_to = equal;
            }
        }
        return print_search(trials_, plan_, options_, outcomes_);
    }

private:
    [[nodiscard]] bool is_last_rung() const { return rung_ + 1 == plan_.rungs.size(); }

    [[nodiscard]] std::filesystem::path result_file(std::size_t trial) const {
        return beside_results(trial, ".json");
    }

    [[nodiscard]] std::filesystem::path beside_results(std::size_t trial,
                                                       const char* ending) const {
        return trials_.parent() / (rung_name(trials_.name(trial), rung_) + ending);
    }

    [[nodiscard]] std::vector<std::size_t> unfinished() const {
        std::vector<std::size_t> left;
        for (const std::size_t trial : going_on_) {
            if (!read_result(result_file(trial))) {
                left.push_back(trial);
            }
        }
        return left;
    }

    // Trains what no other process does, until all of the rung is done. Returns the exit code where
    // this worker ends before.
    std::optional<int> train_rung() {
        bool has_waited = false;
        for (left_ = unfinished(); !left_.empty(); left_ = unfinished()) {
            const QueueEnd end = run_jobs(*this, left_.size(), options_.jobs);
            if (refusals_.are_all() && !options_.is_shared) {
                report_refusal(trials_, left_.front());
                return kConfigurationError;
            }
            const int stopped_by =
                end.signal != 0 ? distributed::exit_code_for(end.signal) : stop_code_;
            if (stopped_by != 0) {
                say_progress(options_,
                             fmt::format("stopped; to continue: the same command with --share "
                                         "--run-dir {}",
                                         trials_.parent().string()));
                return stopped_by;
            }
            const bool has_trained =
                std::ranges::count(end.codes, -1) < static_cast<std::ptrdiff_t>(end.codes.size());
            const std::vector<std::size_t> elsewhere = unfinished();
            if (has_trained || elsewhere.empty()) {
                continue;
            }
            // One whose worker is gone may be trained for a while yet; who else would continue it?
            const bool is_over =
                is_last_rung() && std::ranges::all_of(elsewhere, [this](std::size_t trial) {
                    return claims_.is_with_other(rung_name(trials_.name(trial), rung_));
                });
            if (is_over || !std::exchange(has_waited, true)) {
                say_elsewhere(is_over ? "" : "waiting: ", elsewhere.size());
            }
            if (is_over) {
                return kDone;  // the last of them prints the table
            }
            std::this_thread::sleep_for(kLook);
        }
        return std::nullopt;
    }

    void say_elsewhere(const char* what, std::size_t count) const {
        say_progress(
            options_,
            fmt::format("{}{} of {} trial{} {} with other processes", what, count, going_on_.size(),
                        going_on_.size() == 1 ? "" : "s", count == 1 ? "is" : "are"));
    }

    // Jobs are numbers in `left_`.
    std::optional<Job> claim(std::size_t job) override { return claimed(left_[job]); }
    void begun(std::size_t job) override { say_begin(left_[job]); }
    void ended(std::size_t job, const JobEnd& end) override { take_end(left_[job], end); }
    bool is_last(std::size_t job, const JobEnd& end) override {
        return refusals_.add(left_[job], end.code) && !options_.is_shared;
    }
    void refused(std::size_t job, const std::string& reason) override {
        say_failure(fmt::format("{}: {}", trials_.title(left_[job]), reason));
        stop_code_ = kTrainingError;
    }

    // The trial's next part, where no other process has it and there is one.
    std::optional<Job> claimed(std::size_t trial) {
        const std::string name = rung_name(trials_.name(trial), rung_);
        if (stop_code_ != 0 || claims_.is_with_other(name) || !is_left(trial) ||
            !claims_.claim(name) || !is_left(trial)) {
            return std::nullopt;
        }
        // One that has ended by itself does not continue; nor does one whose worker was killed
        // before it could write the result down.
        const TrialResult& before = outcomes_[trial].result;
        if (const auto result = before.state == "done" ? std::optional(before) : result_of(trial)) {
            write_result(result_file(trial), *result);
            return std::nullopt;
        }
        std::vector<std::string> more;
        if (!is_last_rung()) {
            more = {"--stop-after", fmt::format("{}", plan_.rungs[rung_].budget)};
        }
        Job job = trials_.next_job(trial, more);
        std::error_code none;
        const std::uintmax_t size = std::filesystem::file_size(job.output, none);
        part_begins_[trial] = job.is_appended && !none ? size : 0;
        return job;
    }

    // Returns whether its part is still to be trained, and not by a process of a lost worker.
    [[nodiscard]] bool is_left(std::size_t trial) const {
        return !read_result(result_file(trial)) &&
               !is_active(run::read_run(trials_.folder(trial), machine_), machine_);
    }

    // Returns the result in its folder, if it has come to the end of the rung.
    [[nodiscard]] std::optional<TrialResult> result_of(std::size_t trial) const {
        const run::Run run = run::read_run(trials_.folder(trial), machine_);
        const std::int64_t done = plan_.is_online ? run.episode : run.epoch;
        const bool is_at_end = run.state == "stopped" && run.reason == run::kStopAfterReason &&
                               done >= plan_.rungs[rung_].budget;
        if (run.state != "done" && run.state != "failed" && !is_at_end) {
            return std::nullopt;
        }
        TrialResult result{.state = run.state,
                           .exit_code = static_cast<int>(run.exit_code.value_or(0)),
                           .episode = run.episode,
                           .epoch = run.epoch,
                           .value = run::judged(run).value,
                           .seconds = run.seconds};
        if (result.has_failed()) {
            result.exit_code = failure_code(result.exit_code);
            result.error = run.reason;
        }
        return result;
    }

    // One that a signal has stopped is not at its end: who has sent it wants this worker to end.
    // One that was killed may have been killed before its worker: it is tried once more.
    void take_end(std::size_t trial, const JobEnd& end) {
        warnings_.read(trial);
        std::optional<TrialResult> result = result_of(trial);
        const int stopped_by = end.signal != 0     ? distributed::exit_code_for(end.signal)
                               : is_stop(end.code) ? end.code
                                                   : 0;
        if (!result && stopped_by != 0) {
            stop_code_ = stopped_by;
            return;
        }
        if (!result && end.code == kKilled && note_killed(beside_results(trial, ".killed"))) {
            say_failure(
                fmt::format("{}: killed by SIGKILL; is tried once more", trials_.title(trial)));
            return;
        }
        if (!result || (end.code != kDone && end.code != kKilled && stopped_by == 0)) {
            result = failure(trial, end.code);
        }
        write_result(result_file(trial), *result);
        const std::string line = fmt::format("{}: {}", trials_.title(trial), outcome_text(*result));
        result->has_failed() ? say_failure(line) : say_progress(options_, line);
    }

    [[nodiscard]] TrialResult failure(std::size_t trial, int code) const {
        const run::Run run = run::read_run(trials_.folder(trial), machine_);
        const std::string error = code == kKilled ? "killed by SIGKILL, twice"
                                  : code == kDone
                                      ? "ended before the end of its rung"
                                      : trials_.last_words(trial, run.reason, part_begins_[trial]);
        TrialResult result = result_of(trial).value_or(TrialResult{
            .state = "", .episode = run.episode, .epoch = run.epoch, .seconds = run.seconds});
        result.state = "failed";
        result.exit_code = failure_code(code);
        result.error = error;
        return result;
    }

    [[nodiscard]] std::string outcome_text(const TrialResult& result) const {
        if (result.has_failed()) {
            return fmt::format("failed with {}{}{}", result.exit_code,
                               result.error.empty() ? "" : ": ", result.error);
        }
        return fmt::format("{} {}{}", plan_.metric.name, run::number_text(result.value),
                           result.state == "done" ? ", done" : "");
    }

    void say_begin(std::size_t trial) const {
        const bool is_first = rung_ == 0 && part_begins_[trial] == 0;
        say_progress(options_, fmt::format("{}: {}", trials_.title(trial),
                                           is_first ? "begins" : "continues"));
    }

    void say_rung() const {
        const Rung& rung = plan_.rungs[rung_];
        const std::size_t count = going_on_.size();
        say_progress(options_, is_last_rung()
                                   ? fmt::format("rung {} of {}: {} trial{} to the end", rung_ + 1,
                                                 plan_.rungs.size(), count, count == 1 ? "" : "s")
                                   : fmt::format("rung {} of {}: {} trial{} up to {}", rung_ + 1,
                                                 plan_.rungs.size(), count, count == 1 ? "" : "s",
                                                 budget_text(rung.budget, plan_.is_online)));
    }

    // All results of the rung must be there.
    void judge_rung() {
        std::vector<TrialScore> scores;
        for (const std::size_t trial : going_on_) {
            outcomes_[trial] = {rung_, read_result(result_file(trial)).value()};
            scores.push_back(outcomes_[trial].result.score(trial, plan_.metric.is_larger_better));
        }
        going_on_ =
            survivors(std::move(scores), is_last_rung() ? 0 : plan_.rungs[rung_ + 1].trials);
    }

    const PlannedRuns& trials_;
    const SearchPlan& plan_;
    const SweepOptions& options_;
    const run::Machine machine_ = run::this_machine();
    Claims claims_;
    RunWarnings warnings_;
    Refusals refusals_;
    std::size_t rung_ = 0;
    std::vector<std::size_t> going_on_;        // the trials of the rung, no two of them equal
    std::vector<std::size_t> left_;            // that no process has trained yet
    std::vector<TrialOutcome> outcomes_;       // of each trial, of its last rung
    std::vector<std::uintmax_t> part_begins_;  // in the output of each trial
    int stop_code_ = 0;                        // with which this worker is to end
};

// Returns the rungs of a search without errors.
HalvingPlan halving_plan(const experiment::Experiment& experiment) {
    const TrialBudget budget = trial_budget(experiment);
    const experiment::Searching& search = experiment.search;
    return {.trials = static_cast<std::size_t>(search.trials),
            .factor = search.halving,
            .min_budget = search.min_budget.value_or(
                std::min(budget.first_validation, std::max<std::int64_t>(budget.limit, 1))),
            .max_budget = budget.limit};
}

}  // namespace

SearchPlan search_plan(const experiment::Experiment& experiment) {
    const experiment::Training& training = experiment.training;
    const std::string set = !experiment.validation         ? "training."
                            : training.judging_set.empty() ? ""
                                                           : training.judging_set + ".";
    const std::string statistic = training.judge ? training.judge->statistic : "loss";
    return {.rungs = rungs_of(halving_plan(experiment)),
            .metric = {.name = set + statistic,
                       .statistic = statistic,
                       .is_larger_better = training.judge && training.judge->is_larger_better},
            .is_online = trial_budget(experiment).is_online,
            .seed = static_cast<std::uint64_t>(experiment.seed.value_or(0))};
}

int run_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options) {
    return Search(trials, plan, options).run();
}

}  // namespace ptp::search
