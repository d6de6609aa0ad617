#include "base/exit_code.hpp"
#include "commands.hpp"
#include "experiment/trials.hpp"
#include "host/check_search.hpp"
#include "planned_runs.hpp"
#include "process_options.hpp"
#include "run_operand.hpp"
#include "search.hpp"
#include "search_request.hpp"
#include "sweep.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kMaxTrials = 10000;
constexpr std::size_t kManyTrials = 200;  // whose check takes more than a moment

// What a search needs besides an experiment that is right.
void check_needs(const experiment::Experiment& experiment, bool is_shared, Diagnostics& problems) {
    if (experiment.search.space.empty()) {
        problems.error(
            SourceLocation(), "search.space",
            Explanation{"there is nothing to search",
                        "\"training.optimizer.lr\" = { log_uniform = [0.0001, 0.1] } in "
                        "[search.space], or --space training.optimizer.lr=log_uniform:0.0001,0.1"});
    }
    if (is_shared && !experiment.seed) {
        problems.error(SourceLocation(), "seed",
                       Explanation{"those that share a search must draw the same trials from it, "
                                   "and it is not set",
                                   "--seed 1, or seed = 1 in the experiment"});
    }
}

std::vector<PlannedRun> planned_trials(const experiment::Experiment& experiment,
                                       const std::vector<std::string>& common) {
    std::vector<PlannedRun> trials;
    for (experiment::SweepPoint& point :
         experiment::trials_of(experiment.search, static_cast<std::uint64_t>(*experiment.seed))) {
        point.overrides.insert(point.overrides.begin(), common.begin(), common.end());
        trials.push_back({std::move(point)});
    }
    return trials;
}

// All trials as they will be trained, with the options that are not among their own values.
int check_trials(const host::Request& request, const std::vector<PlannedRun>& trials,
                 std::size_t common_count) {
    if (trials.size() >= kManyTrials) {
        say_progress(fmt::format("checking {} trials", trials.size()));
    }
    std::vector<experiment::SweepPoint> points;
    for (const PlannedRun& trial : trials) {
        experiment::SweepPoint& point = points.emplace_back(trial.point);
        const auto own = point.overrides.begin() + static_cast<std::ptrdiff_t>(common_count);
        std::vector<std::string> overrides = request.overrides;
        overrides.insert(overrides.end(), own, point.overrides.end());
        point.overrides = std::move(overrides);
    }
    return check_sweep(request, points, nullptr);
}

SweepOptions search_options(const Given& given) {
    SweepOptions options = sweep_options(given);
    options.passed_on =
        given.options_without({"set", "run-dir", "jobs", "share", "trials", "halving", "space"});
    return options;
}

// The trials and the runs have the seed that was drawn as if it had been typed.
void draw_seed(experiment::Experiment& experiment, host::Request& request, SweepOptions& options) {
    const std::int64_t seed = std::random_device()();
    experiment.seed = seed;
    request.overrides.push_back(fmt::format("seed={}", seed));
    options.passed_on.insert(options.passed_on.end(), {"--seed", fmt::format("{}", seed)});
}

int search(const Given& given) {
    SearchRequest asked = search_request(given);
    host::Request& request = asked.request;
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    SweepOptions options = search_options(given);
    Diagnostics problems;
    host::Prepared prepared = host::prepare(request, problems);
    if (problems.ok()) {
        check_needs(prepared.experiment, options.is_shared, problems);
        refuse_searched(asked, prepared.experiment.search, problems);
        host::check_search(request, prepared, problems);
    }
    show_problems(problems, asked);
    if (const int code = host::exit_code_for(problems, prepared.catalog); code != kDone) {
        return code;
    }
    const bool is_drawn = !prepared.experiment.seed;
    if (is_drawn) {
        draw_seed(prepared.experiment, request, options);
    }
    const std::vector<std::string> common = common_overrides(given);
    std::vector<PlannedRun> planned = planned_trials(prepared.experiment, common);
    if (const int code = check_trials(request, planned, common.size()); code != kDone) {
        return code;
    }
    if (!options.is_shared) {
        require_one_process("a search without --share");
    }
    const distributed::Place place = leave_place();
    const std::filesystem::path folder =
        options.is_shared ? shared_folder(options.folder)
                          : new_results_folder(options.folder, prepared.experiment.name);
    std::signal(SIGPIPE, SIG_IGN);
    divide_cores(options.jobs * options.processes * static_cast<std::size_t>(place.local_size));
    const PlannedRuns trials(request.file, std::move(planned), folder, options);
    say_progress(fmt::format(
        "{} trial{} in {}{}", trials.size(), trials.size() == 1 ? "" : "s", folder.string(),
        is_drawn ? fmt::format(", drawn with --seed {}", *prepared.experiment.seed) : ""));
    return run_search(trials, search_plan(prepared.experiment), options);
}

std::vector<Option> options_of_space() {
    return {
        {.name = "space",
         .value = "KEY=KIND:VALUES",
         .help = "search a key, as [search.space] does: training.optimizer.lr=uniform:0,0.1; KIND "
                 "is uniform, log_uniform, integer, log_integer (from,to) or choice "
                 "(one,or,another)",
         .completions = {kSettings},
         .is_repeatable = true},
        {.name = "trials",
         .value = "N",
         .help = "how many are drawn (search.trials)",
         .integers = tools::Integers{.min = 1, .max = kMaxTrials}},
        {.name = "halving",
         .value = "N",
         .help = "the best 1/N of the trials are trained N times as long, and so on; 0: all to "
                 "their end (search.halving)",
         .integers = tools::Integers{.min = 0}}};
}

std::vector<Option> search_options_of_command() {
    std::vector<Option> all = options_of_space();
    const std::map<std::string, std::string> helps = {
        {"set",
         "replace a value of the experiment, which all trials have: training.task.batch_size=32"},
        {"jobs", "trials at a time (default: 1)"},
        {"share",
         "share the trials with other ptprun that have the same command line, here and on other "
         "machines that see --run-dir; again: continue the search"}};
    for (Option& option : training_options()) {
        if (const auto help = helps.find(option.long_name()); help != helps.end()) {
            option.help = help->second;
        }
        for (const char* single : {"fold", "fast-dev-run", "overfit", "profile", "watch", "paused",
                                   "stop-after", "swap-check", "json"}) {
            if (option.name == single) {
                option.refusal = "is for a single run";
            }
        }
        all.push_back(std::move(option));
    }
    return all;
}

}  // namespace

Command search_command() {
    return {.name = "search",
            .summary = "searches values at random, with halving",
            .operands = {declared_experiment()},
            .options = search_options_of_command(),
            .example =
                "ptprun search net.toml --seed 1 --trials 27 --space "
                "training.optimizer.lr=log_uniform:0.0001,0.1",
            .keeps_results = true,
            .run = search};
}

}  // namespace ptp::ptprun
