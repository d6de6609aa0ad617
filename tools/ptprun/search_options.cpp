// The command lines of the trainings that ptp-search runs: `ptprun search` and `ptprun cv`. They
// are declared here, for the help and the shell, and run there.

#include "search_options.hpp"

#include "request_options.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kUsualFolds = 5;
constexpr std::int64_t kMaxFolds = 1000;
constexpr std::int64_t kMaxTrials = 10000;

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
    }
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
         .integers = tools::Integers{.min = 2, .max = kMaxFolds, .usual = kUsualFolds}}};
    return {.name = "cv",
            .summary = "cross-validates in k folds: mean and spread",
            .operands = {declared_experiment()},
            .options = tools::concat({folds, options_of_several()}),
            .example = "ptprun cv net.toml --folds 5 --jobs 2",
            .keeps_results = true,
            .program = kSearchProgram};
}

Command sweep_command() {
    return {.name = kSweep,
            .summary = "trains each combination of the values of --set",
            .operands = {declared_experiment()},
            .options = training_options(),
            .example = "ptprun net.toml --set training.optimizer.lr=0.1,0.01",
            .keeps_results = true,
            .program = kSearchProgram};
}

}  // namespace ptp::ptprun
