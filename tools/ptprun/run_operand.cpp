// Resolves words that name runs and experiments, and checkpoints of runs.

#include "run_operand.hpp"

#include "base/exit_code.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "bundle/installed_models.hpp"
#include "host/bundle_plugins.hpp"
#include "host/open_engine.hpp"
#include "host/run_plugins.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "run/resolve.hpp"
#include "run_warnings.hpp"

#include <fmt/core.h>

#include <iostream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

using Resolved = std::variant<fs::path, run::UnknownRun>;

fs::path path_or_throw(Resolved found) {
    if (const auto* unknown = std::get_if<run::UnknownRun>(&found)) {
        throw UsageError(unknown->why);
    }
    return std::get<fs::path>(std::move(found));
}

std::string why_no_checkpoint(const fs::path& folder, const std::string& asked) {
    const fs::path checkpoints = folder / run::kCheckpointsFolder;
    if (asked == run::kBestCheckpoint && fs::is_directory(checkpoints / run::kLastCheckpoint)) {
        return fmt::format("{} has no best weights yet; --checkpoint last has the newest",
                           folder.string());
    }
    const run::Run run = run::read_run(folder, run::this_machine());
    const std::string shown = folder.string();
    if (run.state == "running") {
        return fmt::format(
            "{} has no checkpoint yet: it is running, and writes one when it is asked for it\n"
            "    fix: ptprun control {} checkpoint",
            shown, shell_word(shown));
    }
    if (run.state == "failed" && run::has_checkpoints_folder(folder)) {
        return fmt::format("{} failed before its first checkpoint{}", shown,
                           run.reason.empty() ? "" : ": " + run.reason);
    }
    return why_no_checkpoints(run);
}

// Returns how a run has ended, as the end of a sentence.
std::string end_text(const run::Run& run) {
    if (run.state == "died") {
        return "it was killed before it wrote one";
    }
    const std::string state = run.state == "failed"       ? "it failed"
                              : run.state == "unreadable" ? "its status cannot be read"
                                                          : "it is " + run.state;
    const std::string& why = run.state == "unreadable" ? run.problem : run.reason;
    return state + (why.empty() ? "" : ": " + why);
}

// Returns the words with which a run was started; nullptr if they are not known.
const Value* first_words(const run::Record& record) {
    const Value& processes = record.processes;
    const bool has_any = processes.is_list() && !processes.items().empty();
    const Value* words = has_any ? processes.items().front().find("command_line") : nullptr;
    return words != nullptr && words->is_list() ? words : nullptr;
}

// Returns the command that trains what a trial has tried: that of a fast development run without
// the option, or the experiment of a range test. "" if its file cannot be found from here.
std::string command_of_trial(const run::Run& run) {
    std::string ignored;
    const auto record = run::read_record(run.folder, ignored);
    const Value* words = record ? first_words(*record) : nullptr;
    const std::set<std::string> left_out = {"ptprun", "run", "--fast-dev-run"};
    std::string command = "ptprun";
    bool has_file = false;
    for (std::size_t i = 0; words != nullptr && i < words->items().size(); ++i) {
        const Value& item = words->items()[i];
        const std::string word = item.is_string() ? run::plain(item.as_string()) : "";
        std::error_code unreadable;
        const bool is_file = fs::path(word).extension() == ".toml" && fs::exists(word, unreadable);
        has_file = has_file || is_file;
        if (word == "--run-dir") {
            ++i;  // the folder is taken
            continue;
        }
        if (is_file || (run.trial == "fast_dev_run" && !left_out.contains(word))) {
            command += " " + shell_word(word);
        }
    }
    return has_file ? command : "";
}

tools::Option with_plugins_option() {
    return {.name = "with-plugins",
            .help =
                "use the plugins in a bundle where others than those are installed, if a "
                "trusted key has signed it (ptp-pack key trust)"};
}

std::string why_no_best(const fs::path& folder) {
    const run::Run run = run::read_run(folder, run::this_machine());
    if (run.exit_code != kDiverged && !run.last) {
        return fmt::format("{} in epoch {}, and nothing was measured before",
                           run.state == "running"  ? "it is"
                           : run.state == "died"   ? "it was killed"
                           : run.state == "failed" ? "it failed"
                                                   : "it was stopped",
                           std::max<std::int64_t>(run.epoch, 1));
    }
    return run.exit_code == kDiverged
               ? run.reason
               : "no validation has given a finite value of what it is judged by, with a loss that "
                 "does not count as diverged";
}

}  // namespace

tools::Operand declared_experiment() {
    return {
        .name = "EXPERIMENT.toml", .what = "an experiment file", .completions = {tools::kFiles}};
}

tools::Operand declared_run(std::size_t count, const char* what) {
    return {
        .name = "RUN", .what = what, .min = count, .max = count, .completions = {tools::kFolders}};
}

tools::Operand declared_subject() {
    return {.name = "RUN-OR-EXPERIMENT",
            .what = "a run folder, a bundle or an experiment file",
            .completions = {tools::kFiles}};
}

fs::path run_operand(const std::string& word) {
    fs::path run = path_or_throw(run::find_run(word, run::this_machine()));
    run::refuse_newer(run);
    return run;
}

fs::path folder_operand(const std::string& word) {
    return path_or_throw(run::resolve(word, run::this_machine()));
}

std::string checkpoint_text(const Subject& subject, const fs::path& checkpoint) {
    const bool is_of_run =
        subject.run && checkpoint.parent_path() == *subject.run / run::kCheckpointsFolder;
    const run::Measurement measured = run::read_checkpoint_record(checkpoint).measured;
    const std::string epoch = measured.epoch > 0 ? fmt::format(", epoch {}", measured.epoch)
                                                 : ", before the end of its first epoch";
    if (!is_of_run) {
        return checkpoint.string() + epoch;
    }
    const std::string name = checkpoint.filename().string();
    const std::string shown = subject.shown_run().string() + epoch;
    if (subject.bundle || name != run::kBestCheckpoint) {
        return shown + (subject.bundle ? "" : fmt::format(" ({})", name));
    }
    const run::Run run = run::read_run(*subject.run, run::this_machine());
    const auto newer = run::newer_best_epoch(run);
    return shown + (!newer ? fmt::format(" ({})", name)
                    : run.state == "running"
                        ? fmt::format(" (best of those saved; epoch {} is better, and "
                                      "not saved yet)",
                                      *newer)
                        : " (best of those saved)");
}

Subject subject_operand(const std::string& word) {
    const auto model = bundle::installed_model(word, "", host::program_path());
    const fs::path path =
        model ? *model : path_or_throw(run::find_subject(word, run::this_machine()));
    if (experiment::is_bundle(path) || path.extension() == bundle::kBundleEnding) {
        auto opened = std::make_shared<const bundle::OpenedBundle>(path);
        const fs::path folder = opened->folder();
        return {(folder / run::kExperimentFile).string(), folder, std::move(opened)};
    }
    std::error_code ignored;  // reported when it is opened
    if (!fs::is_directory(path, ignored)) {
        return {path.string(), std::nullopt};
    }
    fs::path run = path;
    run::refuse_newer(run);
    return {(run / run::kExperimentFile).string(), std::move(run)};
}

constexpr const char* kInputFilename = "stdin-filename";

std::vector<tools::Option> subject_options(bool takes_sweeps) {
    return tools::concat(
        {request_options(takes_sweeps),
         {with_plugins_option(),
          {.name = kInputFilename,
           .value = "FILE",
           .help = "the name of the experiment from the standard input, such as a file that an "
                   "editor has not saved yet: its relative paths begin at the folder of FILE",
           .completions = {tools::kFiles}}}});
}

std::vector<tools::Option> bundle_options() {
    return {{.name = "no-self-test",
             .help = "use a bundle without computing the samples first that it stores with their "
                     "outputs"},
            with_plugins_option()};
}

void apply_bundle_options(const Given& given, const Subject& subject) {
    if (!subject.bundle) {
        host::refuse_bundle_options(given.operands().front(), given.has("no-self-test"),
                                    given.has("with-plugins"));
        return;
    }
    if (given.has("no-self-test")) {
        bundle::leave_out_samples(*subject.run);
    }
    if (given.has("with-plugins")) {
        host::unpack_builds(*subject.bundle);
    }
}

std::optional<fs::path> checkpoint_operand(const Given& given, const Subject& subject) {
    if (subject.bundle && given.has("checkpoint")) {
        host::refuse_checkpoint_option("--checkpoint", subject.shown_run().string());
    }
    const std::string asked =
        given.has("checkpoint") ? given.text("checkpoint") : run::kBestCheckpoint;
    const bool is_name = run::is_checkpoint_name(asked);
    if (is_name && !subject.run) {
        if (given.has("checkpoint")) {
            throw UsageError(
                fmt::format("--checkpoint {}: only a run has one of this name; give the folder of "
                            "a checkpoint",
                            asked));
        }
        return std::nullopt;
    }
    const fs::path folder =
        is_name ? *subject.run / run::kCheckpointsFolder / asked : fs::path(asked);
    if (is_name && asked == run::kBestCheckpoint && !fs::is_directory(folder) &&
        fs::is_directory(folder.parent_path() / run::kLastCheckpoint)) {
        throw UsageError(
            fmt::format("{}: the run has no best weights: {}; the last weights are there\n    fix: "
                        "--checkpoint {}",
                        subject.run->string(), why_no_best(*subject.run), run::kLastCheckpoint));
    }
    if (!fs::is_directory(folder) && is_name) {
        throw UsageError(why_no_checkpoint(*subject.run, asked));
    }
    if (!fs::is_directory(folder)) {
        const std::vector<std::string> names = {run::kBestCheckpoint, run::kLastCheckpoint};
        throw UsageError(fmt::format("--checkpoint {}: no such folder: {}{}", asked,
                                     folder.string(), hint(asked, names)));
    }
    const bool is_run = fs::is_directory(folder / run::kCheckpointsFolder);
    const fs::path all = is_run ? folder / run::kCheckpointsFolder : folder;
    for (const char* const name : {run::kBestCheckpoint, run::kLastCheckpoint}) {
        if (!fs::exists(folder / run::kCheckpointFile) && fs::is_directory(all / name)) {
            const bool is_of_run = subject.run && all.parent_path() == *subject.run;
            throw UsageError(
                fmt::format("--checkpoint {}: is no checkpoint, but {}\n    fix: --checkpoint {}",
                            asked, is_run ? "a run" : "a folder of some",
                            is_of_run ? name : shell_word((all / name).string())));
        }
    }
    return folder;
}

std::string why_no_checkpoints(const run::Run& run) {
    const std::string folder = run.folder.string();
    if (run.is_trial() && run.trial != "overfit") {
        const std::string command = command_of_trial(run);
        return fmt::format(
            "{} was {}, which keeps no checkpoints{}", folder,
            run.trial == "find_lr" ? "a range test of the learning rate" : "a fast development run",
            command.empty() ? "" : "\n    fix: train first: " + command);
    }
    const bool begins_again = run.state == "died" && run::has_checkpoints_folder(run.folder);
    return fmt::format("{} has no checkpoints; {}; it can be trained again{}\n    fix: {}", folder,
                       end_text(run), begins_again ? ", in its folder" : "",
                       begins_again
                           ? "ptprun resume " + shell_word(folder)
                           : "ptprun " + shell_word((run.folder / run::kExperimentFile).string()));
}

host::Request subject_request(const Given& given, Diagnostics& problems) {
    const std::string& word = given.operands().front();
    if (word == kStandardInput) {
        apply_bundle_options(given, {});
        host::Request request =
            request_from(given, given.has(kInputFilename) ? given.text(kInputFilename) : word);
        request.text.emplace(std::istreambuf_iterator<char>(std::cin),
                             std::istreambuf_iterator<char>());
        return request;
    }
    if (given.has(kInputFilename)) {
        throw UsageError(
            Explanation{fmt::format("--{} names an experiment from the standard input, and {} is "
                                    "read where it is",
                                    kInputFilename, word),
                        fmt::format("leave out --{}, or write - in place of {}", kInputFilename,
                                    shell_word(word))}
                .text());
    }
    const Subject subject = subject_operand(word);
    apply_bundle_options(given, subject);
    host::Request request = request_from(given, subject.experiment);
    request.bundle = subject.bundle;
    if (subject.run) {
        const fs::path last = *subject.run / run::kCheckpointsFolder / run::kLastCheckpoint;
        request.run_plugins = host::plugins_of(*subject.run, last, problems, request.plugins);
        request.uses_search_path = true;
        warn_of_run(subject, std::nullopt, problems);
    }
    return request;
}

std::string shown_file(const host::Request& request) {
    return request.bundle ? request.bundle->file().path().string() : request.file;
}

std::vector<run::Run> run_operands(const tools::Strings& words) {
    const run::Machine machine = run::this_machine();
    std::vector<run::Run> runs;
    for (const std::string& word : words) {
        const fs::path named = folder_operand(word);
        std::vector<run::Run> found;
        if (fs::is_directory(named) && !run::is_run(named)) {
            found = run::find_runs(named.lexically_normal(), machine);
        }
        if (found.empty()) {
            found.push_back(run::read_run(run_operand(word).lexically_normal(), machine));
        }
        for (run::Run& run : found) {
            if (std::ranges::find(runs, run.folder, &run::Run::folder) == runs.end()) {
                runs.push_back(std::move(run));
            }
        }
    }
    return runs;
}

int explain_run(const Subject& subject, const std::string& command) {
    if (subject.bundle) {
        show_error(fmt::format(
            "{0} is a bundle with a trained model, not an experiment: it predicts for files and "
            "folders, and an experiment with load = \"{0}\" in [pipeline] begins with its weights\n"
            "    fix: ptprun predict {1} --data FOLDER",
            subject.shown_run().string(), shell_word(subject.shown_run().string())));
        return kConfigurationError;
    }
    const fs::path& run = *subject.run;
    const std::string name = run.string();
    const run::Run what = run::read_run(run, run::this_machine());
    if (what.state != "running" && !run::has_checkpoints_folder(run)) {
        show_error(
            fmt::format("{} is the folder of a run ({}), not an experiment; it has no checkpoints, "
                        "and can be trained from scratch\n    fix: ptprun {}",
                        name, what.state, shell_word((run / run::kExperimentFile).string())));
        return kConfigurationError;
    }
    std::error_code ignored;  // an unreadable one is reported when it is opened
    const bool has_weights =
        fs::is_directory(run / run::kCheckpointsFolder / run::kLastCheckpoint, ignored);
    const std::string experiment = shell_word((run / run::kExperimentFile).string());
    const std::string word = shell_word(name);
    std::vector<std::string> uses = {"continue it", "train its experiment from scratch"};
    std::vector<std::string> fixes = {"ptprun resume " + word, "ptprun " + experiment};
    if (!command.empty()) {
        uses.insert(uses.begin(), "begin with its experiment");
        fixes.insert(fixes.begin(), fmt::format("ptprun {} {}", command, experiment));
    }
    if (has_weights) {
        uses.insert(uses.end(),
                    {"measure its weights on a data set", "predict for files or folders"});
        fixes.insert(fixes.end(), {"ptprun process " + word,
                                   fmt::format("ptprun predict {} --data FOLDER", word)});
    }
    show_error(fmt::format("{} is the folder of a run ({}), not an experiment: {}\n    fix: {}",
                           name, what.state, joined(uses, "or"), join(fixes, "\n         ")));
    return kConfigurationError;
}

}  // namespace ptp::ptprun
