// Declares the options of a training, and makes the request for host::prepare() of them. Some, such
// as --fold, change the experiment after it was read.
#include "training_options.hpp"

#include "base/toml_writer.hpp"
#include "console_options.hpp"
#include "experiment/experiment.hpp"
#include "fold.hpp"
#include "pipeline/task_data.hpp"
#include "process_options.hpp"
#include "request_options.hpp"
#include "run/paths.hpp"
#include "run/tags.hpp"

#include <fmt/core.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kMaxJobs = 1024;

// Parses "1/5".
Fold fold_from(const std::string& text) {
    std::int64_t fold = -1;
    std::int64_t folds = -1;
    int end = 0;
    if (std::sscanf(text.c_str(), "%" SCNd64 "/%" SCNd64 "%n", &fold, &folds, &end) != 2 ||
        static_cast<std::size_t>(end) != text.size() || fold < 0 || folds < 2 || fold >= folds) {
        throw UsageError(
            fmt::format("--fold {}: must be I/K, such as 0/5, with I from 0 to K - 1 and K at "
                        "least 2",
                        text));
    }
    return {.number = fold, .count = folds};
}

// Returns the changes of the experiment for a trial.
std::function<void(experiment::Experiment&, Diagnostics&)> change_from(const Given& given) {
    const bool is_fast = given.has("fast-dev-run");
    if (!given.has("overfit") && !is_fast) {
        return nullptr;
    }
    if (!given.has("overfit")) {
        return [](experiment::Experiment& experiment, Diagnostics&) {
            experiment::make_fast_dev_run(experiment);
        };
    }
    const auto batches = *given.integer("overfit");
    return [batches](experiment::Experiment& experiment, Diagnostics& problems) {
        experiment::make_overfit(experiment, batches, problems);
    };
}

void check_tags(const Given& given) {
    for (const std::string& tag : given.texts("tag")) {
        if (const std::string why = run::refuse_tag(tag); !why.empty()) {
            throw UsageError(fmt::format("--tag '{}': {}", tag, why));
        }
    }
}

}  // namespace

// Sets seed and device in the experiment, so that they are in its record in the run folder.
host::Request training_request(const Given& given) {
    check_tags(given);
    host::Request request = request_from(given);
    if (given.has("seed")) {
        request.overrides.push_back(fmt::format("seed={}", *given.integer("seed")));
    }
    add_device(given, request);
    if (given.has("worker")) {
        request.overrides.push_back("training.worker=" + inline_toml(Value(given.text("worker"))));
    }
    request.change = change_from(given);
    if (given.has("overfit")) {
        request.adapt = [](experiment::Experiment& experiment, const plugin::Catalog& catalog,
                           Diagnostics&) {
            // Uses the samples of [training] rather than those of the task for [validation].
            pipeline::fix_split(experiment.validation->task, catalog);
        };
    }
    if (given.has("fold")) {
        hold_out(request, fold_from(given.text("fold")));
    }
    return request;
}

namespace {

std::vector<Option> options_of_run() {
    return {
        run_dir_option("where the run goes; must be empty or not exist (default: runs/NAME/TIME)"),
        {.name = "seed",
         .value = "N",
         .help = "the seed of all that is random",
         .integers = tools::Integers{.min = 0}},
        device_option(),
        {.name = "worker",
         .value = "NAME",
         .help = "offline (epochs) or online (episodes)",
         .choices = {"offline", "online"}},
        {.name = "jobs,j",
         .value = "N",
         .help = "runs of a sweep at a time (default: 1)",
         .integers = tools::Integers{.min = 1, .max = kMaxJobs}},
        {.name = "share",
         .help =
             "share the runs of a sweep with other ptprun that have the same command line, here "
             "and on other machines that see --run-dir; again: continue it",
         .needs = "run-dir"},
        {.name = "tag",
         .value = "NAME",
         .help = "a tag for the run, by which `ptprun runs` finds it; may be given several times",
         .is_repeatable = true},
        {.name = "fold",
         .value = "I/K",
         .help = "cut the training set into K parts, train on all but part I, from 0, and validate "
                 "on that part; `ptprun cv` runs all K",
         .excludes = {"overfit", "fast-dev-run"}},
        {.name = "fast-dev-run",
         .help = "one batch of each set, to see that all works; no checkpoints are kept",
         .excludes = {"overfit"}},
        {.name = "overfit",
         .value = "N",
         .help = "train on the first N batches again and again, and validate on them",
         .integers = tools::Integers{.min = 1}},
        {.name = "profile",
         .help = fmt::format("report at the end what took how long; writes {}", run::kTraceFile)}};
}

Option swap_check_option() {
    return {.name = "swap-check",
            .value = "N",
            .help =
                "run twice, the second time exchanging every plugin N times for a copy of itself, "
                "and compare the results bit for bit",
            .integers = tools::Integers{.min = 1}};
}

}  // namespace

std::vector<Option> training_options() {
    return tools::concat({options_of_run(),
                          console_options(),
                          training_console_options(),
                          {watch_option(), swap_check_option(), threads_option()},
                          process_options(),
                          request_options()});
}

}  // namespace ptp::ptprun
