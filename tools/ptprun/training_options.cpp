// Options of a training, of its processes and of its threads, and what they change.

#include "training_options.hpp"

#include "base/cores.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "fold.hpp"
#include "pipeline/task_data.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/paths.hpp"
#include "run/tags.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

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

std::vector<Option> options_of_run() {
    return {
        run_dir_option("where the run goes; must be empty or not exist (default: runs/NAME/TIME)"),
        {.name = "seed",
         .value = "N",
         .help = "the seed of all that is random",
         .integers = tools::Integers{.min = 0},
         .instead = "--set seed={}"},
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
        {.name = "stratified",
         .help = "the fold has its part of each class, as those of kFoldStratifiedSampler",
         .needs = "fold"},
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

constexpr std::int64_t kMaxProcesses = 1024;
constexpr std::int64_t kMaxRestarts = 1'000'000;

const char* variable(const char* name) {
    return std::getenv(name);
}

distributed::Place place_of_environment() {
    return distributed::place_from(variable, distributed::host_name());
}

// Returns whether this process was started by its parent, a ptprun --nproc. It has the same command
// line.
bool is_started_by_ptprun() {
    const char* const launcher = variable(distributed::kLauncherVariable);
    return launcher != nullptr && launcher == std::to_string(getppid());
}

// Divides the cores. srun and Open MPI may have bound each process to its cores; ptprun --nproc
// binds none.
void share_cores(const distributed::Place& place) {
    if (place.local_size > 1) {
        const std::int64_t threads =
            is_started_by_ptprun()
                ? std::max<std::int64_t>(1, available_cores() / place.local_size)
                : cores_of_each(own_core_limits(), online_cores(), place.local_size);
        setenv("OMP_NUM_THREADS", fmt::format("{}", threads).c_str(), 0);
    }
}

constexpr const char* kAuto = "auto";
constexpr std::int64_t kMaxThreads = 1024;

std::int64_t threads_from(const std::string& text) {
    std::int64_t threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 ||
        threads > kMaxThreads) {
        throw UsageError(
            fmt::format("--threads {}: must be a number from 1 to {}, or auto", text, kMaxThreads));
    }
    return threads;
}

// Returns the cores per process of a training on this host.
std::int64_t free_cores(const Given& given) {
    const std::int64_t processes = given.has("nproc") ? *given.integer("nproc") : 1;
    return std::max<std::int64_t>(available_cores() / processes, 1);
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
        Fold fold = fold_from(given.text("fold"));
        fold.is_stratified = given.has("stratified");
        hold_out(request, fold);
    }
    return request;
}

std::vector<Option> training_options() {
    return tools::concat({options_of_run(),
                          console_options(),
                          training_console_options(),
                          {watch_option(), swap_check_option(), threads_option()},
                          process_options(),
                          request_options(/*takes_sweeps=*/true)});
}

std::vector<Option> process_options() {
    return {
        {.name = "nproc",
         .value = "N",
         .help = "train in N processes on this host, which share each batch; 1: in this one, "
                 "even if the environment has it take part in a training of several",
         .integers = tools::Integers{.min = 1, .max = kMaxProcesses}},
        {.name = "restarts",
         .value = "N",
         .help = "where a process fails, is killed or hangs, start all again from the last "
                 "checkpoint, at most N times",
         .integers = tools::Integers{.min = 0, .max = kMaxRestarts},
         .needs = "nproc"},
        {.name = "min-nproc",
         .value = "N",
         .help = "restart with one process fewer where the same one has failed twice, down to N "
                 "(default: --nproc)",
         .integers = tools::Integers{.min = 1, .max = kMaxProcesses},
         .needs = "restarts"}};
}

bool starts_processes(const Given& given) {
    const std::int64_t count = given.integer("nproc").value_or(1);
    if (given.integer("min-nproc").value_or(1) > count) {
        throw UsageError(fmt::format("--min-nproc {} is more than --nproc {}",
                                     *given.integer("min-nproc"), count));
    }
    if ((count == 1 && !given.has("restarts")) || is_started_by_ptprun()) {
        return false;
    }
    const distributed::Place place = place_of_environment();
    if (!place.is_one()) {
        throw UsageError(
            fmt::format("--nproc {} starts processes on this host, but this one is already rank {} "
                        "of {}, started by {}: leave --nproc out",
                        count, place.rank, place.size, place.launcher));
    }
    return true;
}

distributed::Place training_place(const Given& given) {
    if (given.has("nproc") && !is_started_by_ptprun()) {
        return {.host = distributed::host_name()};
    }
    distributed::Place place = place_of_environment();
    share_cores(place);
    if (const std::int64_t tasks = distributed::tasks_without_srun(variable);
        tasks > 1 && place.is_one() && !given.has("quiet")) {
        show_warning(
            fmt::format("the job has {} tasks, but this is one process", tasks),
            "begin the command with srun for one in each task, or train in this one: --nproc 1");
    }
    return place;
}

distributed::Place take_place_from_environment() {
    distributed::Place place = place_of_environment();
    for (const std::string& name : distributed::place_variables()) {
        unsetenv(name.c_str());
    }
    return place;
}

void require_one_process(std::string_view what) {
    const distributed::Place place = place_of_environment();
    if (!place.is_one()) {
        throw UsageError(
            fmt::format("{} runs in one process, but this one is rank {} of {}, started by {}: "
                        "start it once",
                        what, place.rank, place.size, place.launcher));
    }
}

Option threads_option() {
    return {.name = "threads",
            .value = "N",
            .help =
                "threads that compute (default: OMP_NUM_THREADS, or as libtorch chooses); "
                "auto: one for each core; while it trains, fewer beside other processes. The last "
                "bits of all numbers depend on it",
            .completions = {kAuto}};
}

void use_threads(const Given& given) {
    if (!given.has("threads")) {
        return;
    }
    const std::int64_t threads =
        adapts_threads(given) ? free_cores(given) : threads_from(given.text("threads"));
    if (const std::int64_t cores = available_cores(); threads > cores && !given.has("quiet")) {
        show_warning(
            fmt::format("--threads {}: this process has {} {}; more threads than cores wait "
                        "for each other, and take longer",
                        threads, cores, cores == 1 ? "core" : "cores"),
            fmt::format("--threads {}", cores));
    }
    const std::string text = std::to_string(threads);
    setenv("OMP_NUM_THREADS", text.c_str(), 1);
    if (std::getenv("MKL_NUM_THREADS") != nullptr) {  // it would take precedence
        setenv("MKL_NUM_THREADS", text.c_str(), 1);
    }
}

bool adapts_threads(const Given& given) {
    return given.has("threads") && given.text("threads") == kAuto;
}

}  // namespace ptp::ptprun
