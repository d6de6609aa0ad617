// `ptprun EXPERIMENT.toml`: trains here, in several processes, or as a sweep of ptp-search.

#include "base/exit_code.hpp"
#include "command_line.hpp"
#include "distributed/rank_log.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "missing_downloads.hpp"
#include "report.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"
#include "training_job.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

namespace {

int run_here(const Given& given, const host::Request& request) {
    const distributed::FirstErrorStream errors;
    const distributed::Place place = training_place(given);
    GitStateQuery git(given.operands().front());
    host::prepare_engine();
    Diagnostics problems;
    const host::Prepared prepared = host::prepare(request, problems);
    const int code = report(problems, prepared, request);
    if (!prepared.plan) {
        return code;
    }
    engine::RunRequest job = training_job(given, prepared, git);
    job.place = place;
    engine::RunResult result = host::run_in_engine(job);
    complete_fix(result, prepared, request);
    return report(result, request.overrides, &errors);
}

// Warnings are shown by the first of the processes.
int run_in_processes(const Given& given, const host::Request& request) {
    Diagnostics problems;
    const host::Prepared prepared = host::prepare(request, problems);
    return prepared.plan ? launch_training(given, {prepared, {}})
                         : report(problems, prepared, request);
}

int run_run(const Given& given) {
    if (given.has("version")) {
        fmt::print("ptprun {}\n", PTP_VERSION);
        return printed(kDone);
    }
    host::Request request = training_request(given);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(subject);
    }
    request.file = subject.experiment;
    const bool is_several = is_sweep(request) || given.has("swap-check");
    for (const char* single : {"paused", "stop-after"}) {
        if (is_several && given.has(single)) {
            throw UsageError(fmt::format("--{} is for a single run", single));
        }
    }
    if (is_sweep(request)) {
        become_beside(kSearchProgram, kSweep, given.words());
    }
    if (given.has("jobs")) {
        throw UsageError("--jobs is for a sweep: give a --set several values");
    }
    if (given.has("share")) {
        throw UsageError("--share is for a sweep: give a --set several values");
    }
    if (given.has("swap-check")) {
        require_one_process("--swap-check");
        become_beside(kSearchProgram, kSwapCheck, given.words());
    }
    return starts_processes(given) ? run_in_processes(given, request) : run_here(given, request);
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
