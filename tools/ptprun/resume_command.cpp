#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "experiment/resumable.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "host/run_plugins.hpp"
#include "launch.hpp"
#include "process_options.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "resume_check.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"
#include "run/status.hpp"
#include "run_operand.hpp"
#include "run_stages.hpp"
#include "show_error.hpp"
#include "sweep.hpp"
#include "threads_option.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

int refuse(const std::string& reason) {
    show_error(reason);
    return kConfigurationError;
}

// The status of the run; nothing where it is unknown: then the checkpoints decide.
run::Status status_of(const fs::path& run) {
    std::error_code ignored;  // a pipe or a folder counts as a missing file
    if (!fs::is_regular_file(run / run::kStatusFile, ignored)) {
        return {};
    }
    try {
        return run::read_status(run / run::kStatusFile);
    } catch (const run::NewerFormat&) {
        throw;
    } catch (const RunError&) {
        return {};
    }
}

// Names all that may be changed, so that users need not try.
std::string set_help() {
    std::string keys;
    for (const experiment::ResumableKey& one : experiment::resumable_keys()) {
        keys += fmt::format("{}{}", keys.empty() ? "" : ", ", one.key);
    }
    return "change the experiment of the run from here on, also of one that is done: " + keys;
}

// The event that ended the run.
void print_end(const std::string& state, const std::string& reason, int code) {
    const Json event = {
        {"event", "end"}, {"state", state}, {"reason", reason}, {"exit_code", code}};
    fmt::print("{}\n", text_of(event));
}

int say_done(const fs::path& run, const std::string& reason, bool is_json) {
    if (is_json) {
        print_end("done", reason, kDone);
    } else {
        fmt::print(
            "the run in {0} is done; there is nothing to resume\n"
            "to train it longer: ptprun resume {0} --set "
            "training.terminal_conditions.epoch_limit=N\n",
            run.string());
    }
    return kDone;
}

// The folder of the checkpoint that is asked for; empty: the newest whole one.
fs::path asked_checkpoint(const Given& given, const fs::path& run) {
    if (given.text("checkpoint") != run::kBestCheckpoint) {
        return {};
    }
    if (!given.has("set") && !given.has("plugins") && !given.has("paused")) {
        throw UsageError(
            "--checkpoint best: the training would only come to the same again; --set changes "
            "something, or --plugins");
    }
    const fs::path best = fs::absolute(run) / run::kCheckpointsFolder / run::kBestCheckpoint;
    if (!fs::is_directory(best)) {
        throw UsageError(fmt::format("--checkpoint best: {} has none", run.string()));
    }
    // In copies that followed the links it is a folder itself.
    return fs::is_symlink(best) ? best.parent_path() / fs::read_symlink(best) : best;
}

// It would end at once, as it has ended.
int refuse_diverged(const fs::path& run, const std::string& reason, const Given& given) {
    const int code = given.has("set") ? kConfigurationError : kDiverged;
    if (given.has("json")) {
        print_end("failed", reason, code);
    }
    show_error(diverged_text(run, reason));
    return code;
}

// --device that the run has already changes nothing.
void add_other_device(const Given& given, const fs::path& run, host::Request& asked) {
    const auto device = device_from(given);
    if (!device) {
        return;
    }
    Diagnostics reported_later;
    const RunStages stages = stages_of(run, {}, reported_later);
    if (stages.experiments.empty() || stages.experiments.back().device != *device) {
        add_device(given, asked);
    }
}

// Sections that are only processed, where --set changes them; their tasks may come from plugins
// that the run does not have.
void check_processed(const host::Request& asked, const std::vector<fs::path>& copies,
                     const host::Prepared& prepared, Diagnostics& problems) {
    const bool are_changed = std::ranges::any_of(asked.overrides, [](const std::string& value) {
        return value.starts_with("process.") || value.starts_with("process=");
    });
    if (!are_changed || !prepared.plan) {
        return;
    }
    const plugin::Catalog catalog = host::find_plugins({.file = asked.file,
                                                        .overrides = {},
                                                        .plugins = asked.plugins,
                                                        .run_plugins = copies,
                                                        .uses_search_path = true,
                                                        .is_safe = asked.is_safe},
                                                       prepared.experiment);
    pipeline::check_processed_tasks(prepared.experiment, catalog, host::home_folder(), problems);
}

// A run continues with what lies in its folder, the copies of its plugins too: nothing that was
// installed or changed since then has a part in it. Its data must be there, as its tasks will
// check; the weights that it began with need not. `end` is the reason why it ended, if it has.
int continue_run(const fs::path& run, const std::string& end, const host::Request& asked,
                 const Given& given) {
    Diagnostics problems;
    const fs::path asked_for = asked_checkpoint(given, run);
    const fs::path checkpoint =
        asked_for.empty() ? run / run::kCheckpointsFolder / run::kLastCheckpoint : asked_for;
    const RunStages stages = stages_of(run, asked.overrides, problems);
    const auto standing = standing_at(run, checkpoint);
    if (problems.ok() && standing && !stages.experiments.empty() && !asked.overrides.empty()) {
        check_limits(stages, *standing, problems);
    }
    if (!problems.ok()) {
        return report(problems, {}, asked.overrides);
    }
    if (standing && !stages.experiments.empty() && stays_diverged(stages, *standing)) {
        return refuse_diverged(run, end, given);
    }
    const auto copies = host::plugins_of(run, checkpoint, problems, asked.plugins);
    if (!problems.ok()) {
        report(problems, {});
        return kPluginError;
    }
    const host::Prepared prepared = host::prepare({.file = stages.file.string(),
                                                   .overrides = stages.values,
                                                   .plugins = asked.plugins,
                                                   .run_plugins = copies,
                                                   .is_safe = asked.is_safe},
                                                  problems, pipeline::NeededFiles::kIgnored);
    check_processed(asked, copies, prepared, problems);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    if (starts_processes(given)) {
        return launch_training(given, {prepared, run});
    }
    const distributed::FirstErrorStream errors;
    engine::RunRequest request{prepared.experiment, *prepared.plan, run};
    request.place = training_place(given);
    request.is_resumed = true;
    request.adapts_threads = adapts_threads(given);
    request.checkpoint = asked_for;
    request.stages = stages.experiments;
    request.new_values = asked.overrides;
    request.command_line = {"ptprun", "resume"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    apply_console_options(given, request);
    return report(host::run_in_engine(request), asked.overrides, &errors);
}

int run_resume(const Given& given) {
    const fs::path run = run_operand(given.operands().front());
    if (!fs::exists(run / run::kExperimentFile)) {
        return refuse(fmt::format("{} is not a run folder: it has no {}", run.string(),
                                  run::kExperimentFile));
    }
    const run::Status status = status_of(run);
    host::Request asked = request_from(given);
    refuse_sweep(asked);
    static_cast<void>(device_from(given));  // a wrong one is refused where nothing is to do, too
    if (status.state == "done" && asked.overrides.empty() && !given.has("checkpoint")) {
        return say_done(run, status.reason, given.has("json"));
    }
    add_other_device(given, run, asked);
    return continue_run(run, status.reason, asked, given);
}

std::vector<Option> resume_options() {
    return {{.name = "set",
             .value = "KEY=VALUE",
             .help = set_help(),
             .completions = {kSettings},
             .is_repeatable = true},
            {.name = "checkpoint",
             .value = "NAME",
             .help = "continue from `best`, and discard what came after it; `last` is the default",
             .choices = {run::kBestCheckpoint, run::kLastCheckpoint}},
            device_option()};
}

}  // namespace

Command resume_command() {
    return {.name = "resume",
            .summary = "continues a run that was interrupted",
            .operands = {declared_run()},
            .options = tools::concat(
                {resume_options(),
                 console_options(),
                 training_console_options(),
                 process_options(),
                 {watch_option(), threads_option(), plugins_option(), safe_mode_option()}}),
            .example = "ptprun resume runs/net/20260131_120000",
            .keeps_results = true,
            .run = run_resume};
}

}  // namespace ptp::ptprun
