// The command lines of the commands that ptp-search, ptp-runs and ptp-report run. They are declared
// here, for the help and the shell, and run there.

#include "command_line.hpp"

#include "run_operand.hpp"
#include "training_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kUsualFolds = 5;
constexpr std::int64_t kMaxFolds = 1000;
constexpr std::int64_t kMaxTrials = 10000;
constexpr std::size_t kMaxFolders = 1000;
constexpr std::int64_t kMaxReport = 1000;

// Returns the options of a training, with those refused that are for a single one.
std::vector<Option> options_of_several() {
    constexpr std::array<std::string_view, 9> kOfOne = {"fold",       "fast-dev-run", "overfit",
                                                        "profile",    "watch",        "paused",
                                                        "stop-after", "swap-check",   "json"};
    std::vector<Option> all = training_options();
    for (Option& option : all) {
        if (std::ranges::find(kOfOne, option.name) != kOfOne.end()) {
            option.refusal = "is for a single run";
        }
        option.instead.clear();  // a sweep
    }
    std::erase_if(all, [](const Option& option) { return option.name == "stratified"; });
    return all;
}

std::vector<Option> space_options() {
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

std::vector<Option> search_options() {
    const std::map<std::string, std::string> helps = {
        {"set",
         "replace a value of the experiment, which all trials have: training.task.batch_size=32"},
        {"jobs", "trials at a time (default: 1)"},
        {"share",
         "share the trials with other ptprun that have the same command line, here and on other "
         "machines that see --run-dir; again: continue the search"}};
    std::vector<Option> all = options_of_several();
    for (Option& option : all) {
        if (const auto help = helps.find(option.long_name()); help != helps.end()) {
            option.help = help->second;
        }
    }
    return tools::concat({space_options(), all});
}

tools::Operand declared_runs(const char* what) {
    return {.name = "RUN",
            .what = what,
            .min = 1,
            .max = kMaxFolders,
            .completions = {tools::kFolders}};
}

std::vector<Option> runs_options() {
    return {{.name = "where",
             .value = "CONDITION",
             .help = "only runs that meet it, such as lr<0.01, accuracy>0.9, state=done, "
                     "optimizer.type=Adam or tags=TAG"},
            {.name = "status",
             .value = "STATE",
             .help = "",
             .is_repeatable = true,
             .refusal = "is a condition",
             .instead = "--where state={}"},
            {.name = "experiment",
             .value = "NAME",
             .help = "",
             .is_repeatable = true,
             .refusal = "is a condition",
             .instead = "--where experiment={}"},
            {.name = "tag",
             .value = "NAME",
             .help = "",
             .is_repeatable = true,
             .refusal = "is a condition",
             .instead = "--where tags={}"},
            {.name = "trials",
             .help = "also runs of --overfit, --fast-dev-run and find-lr, marked in a column"},
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

Command search_command() {
    return {.name = "search",
            .summary = "searches values at random, with halving",
            .operands = {declared_experiment()},
            .options = search_options(),
            .example =
                "ptprun search net.toml --seed 1 --trials 27 --space "
                "training.optimizer.lr=log_uniform:0.0001,0.1",
            .keeps_results = true,
            .program = kSearchProgram};
}

Command cv_command() {
    const std::vector<Option> folds = {
        {.name = "folds",
         .value = "K",
         .help = "into how many parts the training set is cut; each is held out once, for "
                 "validation",
         .integers = tools::Integers{.min = 2, .max = kMaxFolds, .usual = kUsualFolds}},
        {.name = "stratified",
         .help = "each part has its part of each class, as those of kFoldStratifiedSampler"}};
    return {.name = "cv",
            .summary = "cross-validates in k folds: mean and spread",
            .operands = {declared_experiment()},
            .options = tools::concat({folds, options_of_several()}),
            .example = "ptprun cv net.toml --folds 5 --jobs 2",
            .keeps_results = true,
            .program = kSearchProgram};
}

Command training_command(const char* name) {
    return {.name = name,
            .summary = "trains an experiment several times",
            .operands = {declared_experiment()},
            .options = training_options(),
            .example = "ptprun net.toml --set training.optimizer.lr=0.1,0.01",
            .keeps_results = true,
            .program = kSearchProgram};
}

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
            .program = kRunsProgram};
}

Command diff_command() {
    return {.name = "diff",
            .summary = "shows how two runs differ (exit code 1)",
            .operands = {declared_run(2, "two run folders or bundles")},
            .example = "ptprun diff runs/net/20260131_120000 runs/net/20260131_130000",
            .program = kRunsProgram};
}

Command report_command() {
    return {.name = "report",
            .summary = "writes an HTML report of runs",
            .operands = {declared_runs("a run folder, or a folder of runs")},
            .options = {{.name = "output,o",
                         .value = "FILE.html",
                         .help = "write this file (default: report.html in the current folder)",
                         .completions = {tools::kFiles}},
                        {.name = "max-size",
                         .value = "MB",
                         .help = "its largest size: curves and images have fewer points rather "
                                 "than more bytes",
                         .integers = tools::Integers{.min = 1, .max = kMaxReport, .usual = 20}},
                        {.name = "explain",
                         .value = "METHOD...",
                         .help = "explain predictions for images with the last weights, by methods "
                                 "of `ptprun explain-prediction`; else as [report.explanations] "
                                 "of the run",
                         .is_repeatable = true,
                         .takes_several = true},
                        {.name = "explain-data",
                         .value = "DATA",
                         .help = "a section, a folder or a file to explain (default: validation)",
                         .completions = {kSections, tools::kFiles}},
                        {.name = "projector",
                         .value = "FOLDER",
                         .help = "also write the embeddings of the run, of several the best one, "
                                 "and vectors of its samples with their images, for TensorBoard's "
                                 "projector",
                         .completions = {tools::kFiles}}},
            .example = "ptprun report last -o last.html",
            .keeps_results = true,
            .program = kReportProgram};
}

Command plot_command() {
    return {.name = "plot",
            .summary = "draws a statistic of runs in the terminal",
            .details = "Without a statistic it lists those that the runs have.\n",
            .operands = {declared_runs("run folders"),
                         {.name = "STATISTIC", .what = "a statistic", .min = 0}},
            .options = {{.name = "set",
                         .value = "SET",
                         .help = "only this set, such as training, training_epochs or validation",
                         .is_repeatable = true},
                        {.name = "log", .help = "a logarithmic axis"},
                        {.name = "height",
                         .value = "LINES",
                         .help = "lines of a picture",
                         .integers = tools::Integers{.min = 3, .max = 200, .usual = 16}}},
            .example = "ptprun plot last loss --log",
            .program = kReportProgram};
}

Command run_by(Command command, int (*run)(const Given&)) {
    command.program.clear();
    command.run = run;
    return command;
}

}  // namespace ptp::ptprun
