// `ptprun search`: checks the experiment and its trials, and begins the search.

#include "base/exit_code.hpp"
#include "ptp-search/planned_runs.hpp"
#include "ptp-search/search.hpp"
#include "ptp-search/search_request.hpp"
#include "ptp-search/trials.hpp"
#include "ptprun/check_search.hpp"
#include "ptprun/commands.hpp"
#include "ptprun/process_options.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/sweep_points.hpp"
#include "ptprun/training_options.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ptp::search {

using namespace ptprun;

namespace {

constexpr std::size_t kManyTrials = 200;  // whose check takes more than a moment

// Reports what a search needs besides an experiment that is right.
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
    for (SweepPoint& point :
         trials_of(experiment.search, static_cast<std::uint64_t>(*experiment.seed))) {
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
    std::vector<SweepPoint> points;
    for (const PlannedRun& trial : trials) {
        SweepPoint& point = points.emplace_back(trial.point);
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

}  // namespace

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
        check_search(request, prepared, problems);
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
    divide_cores(options.jobs * options.processes * static_cast<std::size_t>(place.local_size));
    const PlannedRuns trials(request.file, std::move(planned), folder, options);
    say_progress(fmt::format(
        "{} trial{} in {}{}", trials.size(), trials.size() == 1 ? "" : "s", folder.string(),
        is_drawn ? fmt::format(", drawn with --seed {}", *prepared.experiment.seed) : ""));
    return run_search(trials, search_plan(prepared.experiment), options);
}

}  // namespace ptp::search
