// `ptprun resume`: continues a run from a checkpoint.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "experiment/resumable.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "host/prepare_resume.hpp"
#include "host/train_anew.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "run/resolve.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"
#include "training_job.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

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

// Lists all keys that may be changed.
std::string set_help() {
    std::string keys;
    for (const experiment::ResumableKey& one : experiment::resumable_keys()) {
        keys += fmt::format("{}{}", keys.empty() ? "" : ", ", one.key);
    }
    return "change the experiment of the run from here on, also of one that is done: " + keys;
}

// Prints the event that ended the run.
void print_end(const std::string& state, const std::string& reason, int code) {
    const Json event = {
        {"event", "end"}, {"state", state}, {"reason", reason}, {"exit_code", code}};
    fmt::print("{}\n", text_of(event));
}

// Returns the command that trains a run longer, which is done.
std::string command_to_train_longer(const fs::path& run) {
    Diagnostics reported_later;
    const host::RunStages stages = host::stages_of(run, {}, reported_later);
    const auto standing =
        host::standing_at(run, run / run::kCheckpointsFolder / run::kLastCheckpoint);
    const std::string options = standing && !stages.experiments.empty()
                                    ? host::options_to_train_longer(stages, *standing)
                                    : "";
    return fmt::format(
        "ptprun resume {} {}", shell_word(run.string()),
        options.empty() ? "--set training.terminal_conditions.epoch_limit=N" : options);
}

int say_done(const run::Run& run, bool is_json) {
    if (is_json) {
        print_end("done", run.reason, kDone);
    } else if (!run::has_checkpoints_folder(run.folder)) {
        fmt::print("the run in {} is done; there is nothing to resume\n{}\n", run.folder.string(),
                   why_no_checkpoints(run));
    } else {
        fmt::print(
            "the run in {0} is done; there is nothing to resume\n"
            "to train it longer: {1}\n",
            run.folder.string(), command_to_train_longer(run.folder));
    }
    return kDone;
}

bool changes_training(const Given& given) {
    return given.has("set") || given.has("plugins") || given.has("paused");
}

// Returns what the weights of a checkpoint are for, and the run that they are of.
Explanation other_uses(const fs::path& run, const fs::path& checkpoint) {
    const run::Run was = run::read_run(run, run::this_machine());
    const std::string word = shell_word(run.string());
    std::vector<std::string> uses = {"begin a new training with its weights"};
    std::vector<std::string> fixes = {host::begin_with(run, checkpoint)};
    if (was.state != "done" || was.epoch > 0) {
        uses.emplace_back(was.state == "done" ? "train its run longer"
                                              : "continue its run after the last checkpoint");
        fixes.push_back(was.state == "done" ? command_to_train_longer(run)
                                            : "ptprun resume " + word);
    }
    const std::string name = checkpoint.filename().string();
    uses.emplace_back("predict");
    fixes.push_back(fmt::format(
        "ptprun predict {}{} --data FILES", word,
        name == run::kBestCheckpoint
            ? ""
            : " --checkpoint " +
                  (run::is_checkpoint_name(name) ? name : shell_word(checkpoint.string()))));
    return {joined(uses, "or"), join(fixes, "\n         ")};
}

// Refuses the folder of a checkpoint in place of its run, with the command for what is meant.
void refuse_checkpoint_folder(const Given& given, const fs::path& folder) {
    const auto run = run::run_of_checkpoint(folder);
    if (!run) {
        return;
    }
    const std::string name = folder.filename().string();
    const std::string what =
        fmt::format("{} is a checkpoint of the run {}", folder.string(), run->string());
    const bool is_last = name == run::kLastCheckpoint;
    if (!is_last && !(name == run::kBestCheckpoint && changes_training(given))) {
        const Explanation other = other_uses(*run, folder);
        throw UsageError(Explanation{what + ": " + other.reason, other.fix}.text());
    }
    std::string command = "ptprun resume " + shell_word(run->string());
    command += is_last ? "" : " --checkpoint " + name;
    for (const std::string& word : given.options_without({"checkpoint"})) {
        command += " " + shell_word(word);
    }
    throw UsageError(Explanation{what, command}.text());
}

// Returns the folder of the requested checkpoint; empty: the newest complete one.
fs::path asked_checkpoint(const Given& given, const fs::path& run) {
    if (given.text("checkpoint") != run::kBestCheckpoint) {
        return {};
    }
    const bool was_changed = training_place(given).restart > 0;  // by the start before
    if (!changes_training(given) && !was_changed) {
        const Explanation other =
            other_uses(run, run / run::kCheckpointsFolder / run::kBestCheckpoint);
        throw UsageError(
            Explanation{"--checkpoint best: the training would only come to the same "
                        "again, unless --set or --plugins changes something: " +
                            other.reason,
                        other.fix}
                .text());
    }
    const fs::path best = fs::absolute(run) / run::kCheckpointsFolder / run::kBestCheckpoint;
    if (!fs::is_directory(best)) {
        throw UsageError(fmt::format("--checkpoint best: {} has none", run.string()));
    }
    // In copies that followed the links it is a folder itself.
    return fs::is_symlink(best) ? best.parent_path() / fs::read_symlink(best) : best;
}

// Refuses to continue a diverged run, which would end at once in the same way.
int refuse_diverged(const host::PreparedResume& resume, const std::string& reason, bool is_json) {
    if (is_json) {
        print_end("failed", reason, resume.exit_code);
    }
    show_error(resume.diverged->text());
    return resume.exit_code;
}

// Adds --device if it differs from that of the run.
void add_other_device(const Given& given, const fs::path& run, host::Request& asked) {
    const auto device = device_from(given);
    if (!device) {
        return;
    }
    Diagnostics reported_later;
    const host::RunStages stages = host::stages_of(run, {}, reported_later);
    if (stages.experiments.empty() || stages.experiments.back().device != *device) {
        add_device(given, asked);
    }
}

// `end` is the reason why the run ended, if it has.
int continue_run(const fs::path& run, const std::string& end, const host::Request& asked,
                 const Given& given) {
    if (!starts_processes(given)) {
        host::prepare_engine(run);
    }
    Diagnostics problems;
    const fs::path asked_for = asked_checkpoint(given, run);
    const host::PreparedResume resume = host::prepare_resume(run, asked_for, end, asked, problems);
    const host::Prepared& prepared = resume.prepared;
    if (resume.diverged) {
        return refuse_diverged(resume, end, given.has("json"));
    }
    report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return resume.exit_code;
    }
    if (starts_processes(given)) {
        return launch_training(given, {prepared, run});
    }
    for (const run::RateChange& change : run::rate_changes(run)) {
        const bool is_kept =
            asked_for.empty() || !resume.standing ||
            change.episode <= static_cast<std::uint64_t>(resume.standing->episodes);
        if (is_kept && !given.has("json") && !given.has("quiet")) {
            fmt::print(stderr, "{}\n", text_of(change));
        }
    }
    const distributed::FirstErrorStream errors;
    engine::RunRequest request{prepared.experiment, *prepared.plan, run};
    request.place = training_place(given);
    request.resume = {asked_for, resume.new_values, given.has("accept-other-data")};
    request.adapts_threads = adapts_threads(given);
    request.stages = resume.stages.experiments;
    request.command_line = {"ptprun", "resume"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    apply_console_options(given, request);
    return report(host::run_in_engine(request), asked.overrides, &errors);
}

int run_resume(const Given& given) {
    refuse_checkpoint_folder(given, folder_operand(given.operands().front()));
    const fs::path run = run_operand(given.operands().front());
    if (const auto reason = host::not_a_run(run)) {
        return refuse(*reason);
    }
    const run::Run was = run::read_run(run, run::this_machine());
    host::Request asked = request_from(given);
    refuse_sweep(asked);
    static_cast<void>(device_from(given));  // a wrong one is rejected in any case
    if (was.state == "done" && asked.overrides.empty() && !given.has("checkpoint")) {
        return say_done(was, given.has("json"));
    }
    if (was.state != "running" && !run::has_checkpoints_folder(run)) {
        return refuse(why_no_checkpoints(was));
    }
    add_other_device(given, run, asked);
    return continue_run(run, was.reason, asked, given);
}

std::vector<Option> resume_options() {
    return {{.name = "set",
             .value = "KEY=VALUE",
             .help = set_help(),
             .completions = {kSettings},
             .is_repeatable = true},
            {.name = "over",
             .value = "FILE",
             .help = "",
             .is_repeatable = true,
             .refusal = "is for a new training; give what changes here with --set KEY=VALUE"},
            {.name = "checkpoint",
             .value = "NAME",
             .help = "continue from `best`, and discard what came after it; `last` is the default",
             .choices = {run::kBestCheckpoint, run::kLastCheckpoint}},
            {.name = "accept-other-data",
             .help = "continue although the data are not those of the checkpoint"},
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
