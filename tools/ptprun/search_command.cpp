#include "base/exit_code.hpp"
#include "base/toml_writer.hpp"
#include "commands.hpp"
#include "experiment/load/override.hpp"
#include "experiment/trials.hpp"
#include "host/check_search.hpp"
#include "process_options.hpp"
#include "report.hpp"
#include "run_operand.hpp"
#include "search.hpp"
#include "sweep.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr const char* kSearchTable = "search.";
constexpr std::int64_t kMaxTrials = 10000;

[[noreturn]] void refuse_range(const std::string& text) {
    throw UsageError(
        fmt::format("--space {}: must be KEY=KIND:VALUES, such as "
                    "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, "
                    "log_uniform, integer, log_integer or choice",
                    text));
}

// "training.optimizer.lr=log_uniform:1e-4,0.1" as a value of the experiment.
std::string override_of_range(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::size_t colon = text.find(':', equals);
    if (equals == std::string::npos || colon == std::string::npos) {
        refuse_range(text);
    }
    const std::string kind = text.substr(equals + 1, colon - equals - 1);
    if (std::ranges::find(experiment::kDistributions, kind) == experiment::kDistributions.end()) {
        refuse_range(text);
    }
    Diagnostics problems;
    std::vector<Value> values;
    for (const std::string& one :
         experiment::alternatives("value=" + text.substr(colon + 1), 0, problems)) {
        if (auto read = experiment::read_override(one, 1, problems)) {
            values.push_back(std::move(read->value));
        }
    }
    if (!problems.ok()) {
        refuse_range(text);
    }
    return fmt::format("search.space.{}={{ {} = {} }}", inline_toml(text.substr(0, equals)), kind,
                       inline_toml(Value::list(std::move(values))));
}

// Options are values of the experiment, checked as those in its file.
host::Request search_request(const Given& given) {
    host::Request request = training_request(given);
    refuse_sweep(request);
    for (const char* option : {"trials", "halving"}) {
        if (const auto value = given.integer(option)) {
            request.overrides.push_back(fmt::format("search.{}={}", option, *value));
        }
    }
    for (const std::string& range : given.texts("space")) {
        request.overrides.push_back(override_of_range(range));
    }
    return request;
}

// What a search needs besides an experiment that is right.
void check_needs(const experiment::Experiment& experiment, Diagnostics& problems) {
    if (experiment.search.space.empty()) {
        problems.error(
            SourceLocation(), "search.space",
            Explanation{"there is nothing to search",
                        "\"training.optimizer.lr\" = { log_uniform = [0.0001, 0.1] } in "
                        "[search.space], or --space training.optimizer.lr=log_uniform:0.0001,0.1"});
    }
    if (!experiment.seed) {
        problems.error(SourceLocation(), "seed",
                       Explanation{"the trials of a search are drawn from it, and it is not set",
                                   "--seed 1, or seed = 1 in the experiment"});
    }
}

// What the trials have of the options: the values for the search itself are none of theirs.
std::vector<std::string> common_overrides(const Given& given) {
    std::vector<std::string> overrides = given.texts("set");
    std::erase_if(overrides,
                  [](const std::string& text) { return text.starts_with(kSearchTable); });
    return overrides;
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

int search(const Given& given) {
    host::Request request = search_request(given);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    Diagnostics problems;
    const host::Prepared prepared = host::prepare(request, problems);
    if (problems.ok()) {
        check_needs(prepared.experiment, problems);
        host::check_search(request, prepared, problems);
    }
    if (const int code = report(problems, prepared.catalog, request.overrides); code != kDone) {
        return code;
    }
    const std::vector<std::string> common = common_overrides(given);
    std::vector<PlannedRun> planned = planned_trials(prepared.experiment, common);
    if (const int code = check_trials(request, planned, common.size()); code != kDone) {
        return code;
    }
    const SweepOptions options = search_options(given);
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
    say_progress(fmt::format("{} trials in {}", trials.size(), folder.string()));
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
    for (Option& option : training_options()) {
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
            .summary = "draws values, and trains with each",
            .operands = {declared_experiment()},
            .options = search_options_of_command(),
            .example =
                "ptprun search net.toml --seed 1 --trials 27 --space "
                "training.optimizer.lr=log_uniform:0.0001,0.1",
            .keeps_results = true,
            .run = search};
}

}  // namespace ptp::ptprun
