#include "commands.hpp"
#include "run_operand.hpp"
#include "sweep.hpp"
#include "training_options.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kUsualFolds = 5;
constexpr std::int64_t kMaxFolds = 1000;

int run_cv(const Given& given) {
    host::Request request = training_request(given);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    SweepOptions options = sweep_options(given);
    options.folds = *given.integer("folds");
    return run_sweep(request, options);
}

// Those of a training; some are for a single one.
std::vector<Option> cv_options() {
    std::vector<Option> all = {
        {.name = "folds",
         .value = "K",
         .help = "into how many parts the training set is cut; each is held out once, for "
                 "validation",
         .integers = tools::Integers{.min = 2, .max = kMaxFolds, .usual = kUsualFolds}}};
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

Command cv_command() {
    return {.name = "cv",
            .summary = "cross-validates in k folds: mean and spread",
            .operands = {declared_experiment()},
            .options = cv_options(),
            .example = "ptprun cv net.toml --folds 5 --jobs 2",
            .keeps_results = true,
            .run = run_cv};
}

}  // namespace ptp::ptprun
