// `ptprun search`: checks the experiment and its trials, and begins the search.

#include "base/diagnostics.hpp"
#include "base/exit_code.hpp"
#include "base/shell_words.hpp"
#include "base/text.hpp"
#include "common/render.hpp"
#include "experiment/load/override.hpp"
#include "experiment/searching.hpp"
#include "host/prepare.hpp"
#include "ptp-search/planned_runs.hpp"
#include "ptp-search/search.hpp"
#include "ptp-search/trials.hpp"
#include "ptp-search/typed_range.hpp"
#include "ptprun/commands.hpp"
#include "ptprun/report.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/results_folder.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/sweep_points.hpp"
#include "ptprun/training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::search {

using namespace ptprun;

namespace {

struct SearchRequest {
    host::Request request;
    // The typed option for each override, "--halving 2", or "" for a value of the experiment.
    std::vector<std::string> options = {};
};

using namespace ptprun;

using KeyPath = std::vector<std::string>;

// "none" first: a range of the file is replaced as a whole, and not laid over.
void add_range(const std::string& text, SearchRequest& search) {
    const auto range = range_in(text);
    if (!range) {
        refuse_range(text);
    }
    const char quote = range->key.find('"') == std::string::npos ? '"' : '\'';
    for (const std::string& value : {std::string("\"none\""), range->value}) {
        search.request.overrides.push_back(
            fmt::format("search.space.{0}{1}{0}={2}", quote, range->key, value));
        search.options.push_back("--space " + text);
    }
}

void add_ranges(const Given& given, SearchRequest& search) {
    std::set<KeyPath> keys;
    for (const std::string& typed : given.texts("space")) {
        const std::string text = with_whole_key(typed, given.operands().front());
        const auto path = experiment::read_key_path(text.substr(0, text.find('=')));
        if (path && !keys.insert(*path).second) {
            throw UsageError(fmt::format(
                "--space {}: is a second range for this key; leave out one of the two", text));
        }
        add_range(text, search);
    }
}

bool is_within(const KeyPath& path, const KeyPath& above) {
    return above.size() <= path.size() && std::equal(above.begin(), above.end(), path.begin());
}

// Returns the range "=uniform:8,64" for the key of a fix: "=integer:8,64" where the key takes
// integers alone; "" if its ends are none.
std::string fixed_range(const Problem& problem, std::string range) {
    constexpr std::string_view kReal = "uniform:";
    const std::size_t kind = range.find(kReal);
    if (kind == std::string::npos || !problem.message.starts_with("must be an integer")) {
        return range;
    }
    const bool has_integers = range.find_first_of(".eE", kind + kReal.size()) == std::string::npos;
    return has_integers ? range.replace(kind, kReal.size(), "integer:") : "";
}

// Returns the problem at the option as typed, if the option is a value of the search.
Problem as_typed(Problem problem, const SearchRequest& request) {
    const auto index = static_cast<std::size_t>(problem.place.line()) - 1;
    if (problem.place.file() != kCommandLine || problem.place.line() < 1 ||
        index >= request.options.size() || request.options[index].empty()) {
        return problem;
    }
    problem.place = SourceLocation(request.options[index], 0, 0);
    Diagnostics none;
    const auto set = experiment::read_override(request.request.overrides[index], 1, none);
    const std::string key = set && set->path.size() == 3 ? set->path[2] : "";
    const std::string range = experiment::range_path(key);
    if (problem.key == range) {
        problem.key = key;
    } else if (problem.key.starts_with(range + ".")) {
        problem.key.erase(0, range.size() + 1);
    }
    constexpr std::string_view kSet = "--set ";
    const std::string& typed = request.options[index];
    const std::size_t equals = typed.find('=');
    if (problem.fix.starts_with(kSet) && typed.starts_with("--space ") && equals != typed.npos) {
        const std::string fixed = fixed_range(problem, typed.substr(equals));
        std::string fix;  // a line for each key that may be meant
        for (std::size_t at = 0; !fixed.empty() && at != std::string::npos;
             at = problem.fix.find(kSet, at)) {
            std::string_view rest = std::string_view(problem.fix).substr(at += kSet.size());
            const std::string whole = take_shell_word(rest);
            fix += fmt::format("{}--space {}", fix.empty() ? "" : kNextFix,
                               shell_word(whole.substr(0, whole.find('=')) + fixed));
        }
        problem.fix = fix;
    }
    return problem;
}

// Applies options as values of the experiment, checked like those in its file; a range replaces
// that of the file. Throws UsageError.
SearchRequest search_request(const Given& given) {
    SearchRequest search{.request = training_request(given)};
    refuse_sweep(search.request, true);
    search.options.resize(search.request.overrides.size());
    for (const char* option : {"trials", "halving"}) {
        if (const auto value = given.integer(option)) {
            search.request.overrides.push_back(fmt::format("search.{}={}", option, *value));
            search.options.push_back(fmt::format("--{} {}", option, *value));
        }
    }
    add_ranges(given, search);
    return search;
}

// Reports the options that set a searched key, or one below it: trials have their own values for
// it.
void refuse_searched(const SearchRequest& request, const experiment::Searching& search,
                     Diagnostics& problems) {
    for (std::size_t i = 0; i < request.options.size(); ++i) {
        Diagnostics reported_before;
        const auto set = experiment::read_override(request.request.overrides[i],
                                                   static_cast<int>(i) + 1, reported_before);
        if (!set || !request.options[i].empty()) {
            continue;
        }
        for (const experiment::SearchRange& range : search.space) {
            const auto searched = experiment::read_key_path(range.key);
            if (searched && is_within(set->path, *searched)) {
                problems.error(
                    set->value, join(set->path, "."),
                    Explanation{
                        fmt::format("{} is searched, so that trials have other values", range.key),
                        "leave out the value, or the range"});
            }
        }
    }
}

// Returns the values of --set for the trials, without those for the search itself.
std::vector<std::string> common_overrides(const Given& given) {
    std::vector<std::string> overrides = given.texts("set");
    std::erase_if(overrides, [](const std::string& text) {
        Diagnostics reported_before;
        const auto set = experiment::read_override(text, 1, reported_before);
        return set && set->path.front() == "search";
    });
    return overrides;
}

// Prints the problems, with those of search options at the typed options.
void show_problems(const Diagnostics& problems, const SearchRequest& request) {
    std::size_t errors = 0;
    std::size_t warnings = 0;
    std::set<std::string> said;  // an unknown key is one for each of its values
    for (const Problem& reported : problems.sorted()) {
        const Problem problem = as_typed(reported, request);
        if (!said.insert(problem.place.text() + problem.key + problem.explanation()).second) {
            continue;
        }
        show(problem, request.request.overrides);
        (problem.severity == Severity::kWarning ? warnings : errors) += 1;
    }
    if (errors > 1) {
        fmt::print(stderr, "{}\n", tools::count_text(errors, warnings));
    }
}

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
SweepCheck check_trials(const host::Request& request, const std::vector<PlannedRun>& trials,
                        std::size_t common_count) {
    std::vector<SweepPoint> points;
    for (const PlannedRun& trial : trials) {
        SweepPoint& point = points.emplace_back(trial.point);
        const auto own = point.overrides.begin() + static_cast<std::ptrdiff_t>(common_count);
        std::vector<std::string> overrides = request.overrides;
        overrides.insert(overrides.end(), own, point.overrides.end());
        point.overrides = std::move(overrides);
    }
    return check_sweep(request, points);
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
        return explain_run(subject, "search");
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
    if (planned.size() >= kManyTrials) {
        say_progress(options, fmt::format("checking {} trials", planned.size()));
    }
    SweepCheck checked = check_trials(request, planned, common.size());
    if (checked.code != kDone) {
        return checked.code;
    }
    if (!options.is_shared) {
        require_one_process("a search without --share");
    }
    const distributed::Place place = take_place_from_environment();
    const std::filesystem::path folder =
        options.is_shared ? shared_folder(options.folder)
                          : new_results_folder(options.folder, prepared.experiment.name);
    divide_cores(options.jobs * options.processes * static_cast<std::size_t>(place.local_size));
    const PlannedRuns trials(request.file, std::move(planned), folder, options);
    say_progress(
        options,
        fmt::format(
            "{} trial{} in {}{}", trials.size(), trials.size() == 1 ? "" : "s", folder.string(),
            is_drawn ? fmt::format(", drawn with --seed {}", *prepared.experiment.seed) : ""));
    SearchPlan plan = search_plan(prepared.experiment);
    plan.equal_to = std::move(checked.equal_to);
    return run_search(trials, plan, options);
}

}  // namespace ptp::search
