#include "base/exit_code.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "engine_library.hpp"
#include "git_state.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "swap_check.hpp"
#include "sweep.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

namespace {

engine::RunRequest training_job(const Given& given, const Prepared& prepared) {
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (given.has("run-dir")) {
        request.run_folder = given.text("run-dir");
    }
    apply_console_options(given, request);
    request.tags = given.texts("tag");
    request.is_profiled = given.has("profile");
    request.is_fast_dev_run = given.has("fast-dev-run");
    if (request.is_fast_dev_run) {
        request.trial = "a fast development run: one batch of each set";
        request.trial_kind = "fast_dev_run";
    } else if (given.has("overfit")) {
        request.trial = fmt::format("overfitting: training and validation are the first {} batches",
                                    *given.integer("overfit"));
        request.trial_kind = "overfit";
    }
    request.command_line = {"ptprun"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    request.git = git_state(given.operands().front());
    return request;
}

int run_run(const Given& given) {
    Request request = training_request(given);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    const bool is_several = is_sweep(request) || given.has("swap-check");
    if (is_several && given.has("paused")) {
        throw UsageError("--paused is for a single run");
    }
    if (is_sweep(request)) {
        return run_sweep(request, sweep_options(given));
    }
    if (given.has("jobs")) {
        throw UsageError("--jobs is for a sweep: give a --set several values");
    }
    if (given.has("swap-check")) {
        return swap_check(given);
    }
    Diagnostics problems;
    const Prepared prepared = prepare(request, problems);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return code;
    }
    return report(run_in_engine(training_job(given, prepared)), request.overrides);
}

}  // namespace

Command run_command() {
    return {.summary = "trains, and writes a run folder",
            .operands = {declared_experiment()},
            .options = tools::concat(
                {training_options(), {{.name = "version", .help = "print the version of ptprun"}}}),
            .example = "ptprun net.toml --set training.optimizer.lr=0.01 --seed 1",
            .keeps_results = true,
            .run = run_run};
}

}  // namespace ptp::ptprun
