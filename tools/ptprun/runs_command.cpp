#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "commands.hpp"
#include "run/condition.hpp"
#include "run/find_runs.hpp"
#include "run/paths.hpp"
#include "run_operand.hpp"
#include "runs_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxFolders = 1000;

struct Found {
    std::vector<run::Run> runs;
    std::size_t trials = 0;  // number of omitted trials
};

// Returns all runs; trials only if they are requested or named.
Found all_runs(const Strings& folders, bool are_named, bool with_trials) {
    const run::Machine machine = run::this_machine();
    Found found;
    for (const std::string& word : folders) {
        const fs::path folder = folder_operand(word);
        if (!fs::is_directory(folder)) {
            if (!are_named && !fs::exists(folder)) {
                continue;  // no run has been made yet
            }
            throw UsageError(fmt::format("{}: is not a folder", word));
        }
        for (run::Run& run : run::find_runs(folder.lexically_normal(), machine)) {
            if (run.is_trial() && !with_trials && !run::is_run(folder)) {
                ++found.trials;
            } else {
                found.runs.push_back(std::move(run));
            }
        }
    }
    return found;
}

void keep(std::vector<run::Run>& all, const Strings& wanted, std::string run::Run::*member) {
    if (wanted.empty()) {
        return;
    }
    std::erase_if(all, [&](const run::Run& run) {
        return std::ranges::find(wanted, run.*member) == wanted.end();
    });
}

std::vector<run::Condition> conditions_from(const std::vector<run::Run>& all, const Given& given) {
    std::vector<run::Condition> conditions;
    if (all.empty()) {
        return conditions;
    }
    for (const std::string& text : given.texts("where")) {
        const auto condition = run::read_condition(text, all);
        if (const auto* none = std::get_if<run::NoCondition>(&condition)) {
            throw UsageError(fmt::format("--where: {}", none->why));
        }
        conditions.push_back(std::get<run::Condition>(condition));
    }
    return conditions;
}

void filter(std::vector<run::Run>& all, const std::vector<run::Condition>& conditions,
            const Given& given) {
    for (const std::string& state : given.texts("status")) {
        const auto& known = run::states();
        if (std::ranges::find(known, state) == known.end()) {
            throw UsageError(
                fmt::format("--status {}: unknown state{}", state, hint(state, known)));
        }
    }
    keep(all, given.texts("status"), &run::Run::state);
    keep(all, given.texts("experiment"), &run::Run::experiment);
    std::erase_if(all, [&](const run::Run& run) {
        const bool has_tags = std::ranges::all_of(given.texts("tag"), [&](const auto& tag) {
            return std::ranges::find(run.tags, tag) != run.tags.end();
        });
        return !has_tags || !std::ranges::all_of(conditions, [&](const run::Condition& condition) {
            return run::meets(run, condition);
        });
    });
}

int run_list(const Given& given) {
    const Strings folders =
        given.operands().empty() ? Strings{run::runs_root().string()} : given.operands();
    Found found = all_runs(folders, !given.operands().empty(), given.has("trials"));
    std::vector<run::Run>& all = found.runs;
    if (all.empty() && found.trials == 0) {
        fmt::print(stderr, "no runs in {}\n", joined(folders));
    }
    const std::size_t count = all.size();
    const std::vector<run::Condition> conditions = conditions_from(all, given);
    const RunsView view = view_from(all, conditions, given);
    filter(all, conditions, given);
    if (all.empty() && count > 0) {
        fmt::print(stderr, "none of the {} runs in {} meets that\n", count, joined(folders));
    }
    print_view(all, view, given);
    if (found.trials > 0) {
        fmt::print(
            stderr, "{} left out (--overfit, --fast-dev-run); --trials lists {} too\n",
            found.trials == 1 ? "1 trial run is" : fmt::format("{} trial runs are", found.trials),
            found.trials == 1 ? "it" : "them");
    }
    return kDone;
}

std::vector<Option> runs_options() {
    return {
        {.name = "where",
         .value = "CONDITION",
         .help = "only runs that meet it, such as lr<0.01, accuracy>0.9 or "
                 "type=Adam; of several, all",
         .is_repeatable = true},
        {.name = "status",
         .value = "STATE",
         .help = "only runs that are running, done, stopped, failed, died or "
                 "unreadable; of several, any",
         .completions = run::states(),
         .is_repeatable = true},
        {.name = "experiment",
         .value = "NAME",
         .help = "only runs of this experiment; of several, any",
         .is_repeatable = true},
        {.name = "tag",
         .value = "NAME",
         .help = "only runs with this tag; of several, all",
         .is_repeatable = true},
        {.name = "trials", .help = "also runs of --overfit and --fast-dev-run, marked in a column"},
        {.name = "sort",
         .value = "KEY",
         .help = "sort by a key, such as loss, accuracy, lr or began, the smallest "
                 "first; -KEY: the largest first; runs without a value last",
         .completions = {"loss", "epoch", "episodes", "seconds", "began", "run", "state"}},
        {.name = "columns",
         .value = "KEY,...",
         .help = "show these columns only, in this order",
         .is_repeatable = true},
        {.name = "group-by",
         .value = "KEY,...",
         .help = "one line for each group of runs with equal values: their number, "
                 "means and deviations",
         .is_repeatable = true},
        {.name = "json",
         .help = "print an array with everything that is known about each run",
         .excludes = {"csv"}},
        {.name = "csv", .help = "print the whole table as CSV"}};
}

}  // namespace

Command runs_command() {
    return {.name = "runs",
            .summary = "lists and compares runs (default: runs/)",
            .operands = {{.name = "DIR",
                          .what = "a folder",
                          .min = 0,
                          .max = kMaxFolders,
                          .completions = {tools::kFolders}}},
            .options = runs_options(),
            .example = "ptprun runs --where 'lr<0.01' --sort loss",
            .run = run_list};
}

}  // namespace ptp::ptprun
