// `ptprun replay`: repeats a run with all that was done to it, and with further swaps.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "control/command.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "host/run_plugins.hpp"
#include "host/standing.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"
#include "run/read_run.hpp"
#include "run/record.hpp"
#include "run/run_folder.hpp"
#include "run/status.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace {

std::uint64_t episodes_of(const fs::path& run) {
    const fs::path file = run / run::kStatusFile;
    const run::Status status = run::read_status(file);
    if (!status.is_whole) {
        throw RunError(kDataError,
                       fmt::format("{}: does not state how many episodes were run", file.string()));
    }
    return static_cast<std::uint64_t>(status.episode);
}

// Stops the replay where the run was stopped, which is a part of what was done to it.
void stop_with(const fs::path& run, engine::RunRequest& request) {
    const std::uint64_t episodes = episodes_of(run);
    if (episodes == 0) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("the run in {} was stopped before its first episode: there is nothing to "
                         "repeat",
                         run.string()),
             "ptprun " + shell_word((run / run::kExperimentFile).string()) +
                 " trains its experiment"});
    }
    request.stop_after_episodes = episodes;
    const auto last = host::standing_at(run, run / run::kCheckpointsFolder / run::kLastCheckpoint);
    if (last && last->episodes == static_cast<std::int64_t>(episodes)) {
        request.epochs_before_stop = static_cast<std::uint64_t>(last->epochs);
    }
}

void check_names(const std::vector<std::string>& chosen, const run::PluginsLock& lock) {
    const std::vector<std::string> known = transformed(lock.plugins, &run::LockedPlugin::name);
    for (const std::string& name : chosen) {
        if (std::ranges::count(known, name) == 0) {
            throw UsageError(
                fmt::format("--plugin {}: the run has no such plugin{}", name, hint(name, known)));
        }
    }
}

// Adds `count` swaps to the script, evenly over the run's episodes. Each exchanges the chosen
// plugins, or all, for a copy of the active build.
void add_swaps(std::vector<run::Entry>& script, const fs::path& run, std::int64_t count,
               const std::vector<std::string>& chosen) {
    const run::PluginsLock lock = run::read_plugins_lock(run / run::kPluginsLockFile);
    const std::uint64_t episodes = episodes_of(run);
    check_names(chosen, lock);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t episode =
            episodes * static_cast<std::uint64_t>(i + 1) / static_cast<std::uint64_t>(count + 1);
        std::vector<run::SwappedPlugin> plugins;
        for (const run::LockedPlugin& plugin : lock.plugins) {
            const bool is_chosen = chosen.empty() || std::ranges::count(chosen, plugin.name) > 0;
            if (const auto* generation = is_chosen ? lock.active(plugin.name, episode) : nullptr) {
                plugins.push_back({plugin.name, generation->sha256, generation->file});
            }
        }
        script.push_back(
            {episode, std::string(control::Swap::kName), run::swap_arguments(plugins), ""});
    }
    std::ranges::stable_sort(script, {}, &run::Entry::episode);
}

// Sets the number of threads to that of the run, because the bits of the results depend on it.
void use_threads_of(const fs::path& run) {
    const fs::path file = run / run::kRecordFile;
    const run::Record record = run::read_record(file);
    const Value* threads = record.machine.find(run::kThreads);
    if (threads == nullptr || !threads->is_integer() || threads->as_integer() < 0) {
        throw RunError(kDataError, fmt::format("{}: does not state with how many threads the run "
                                               "computed",
                                               file.string()));
    }
    const std::string count = fmt::format("{}", threads->as_integer());
    const char* asked = std::getenv("OMP_NUM_THREADS");
    if (asked != nullptr && asked != count) {
        show({Severity::kWarning, SourceLocation(), "", "",
              fmt::format("OMP_NUM_THREADS={} is ignored: the run computed with {} thread{}, and a "
                          "replay does too",
                          asked, count, count == "1" ? "" : "s")});
    }
    setenv("OMP_NUM_THREADS", count.c_str(), 1);
}

// Its last checkpoint has counted the entries that had taken effect.
std::vector<run::Entry> whole_journal(const fs::path& run) {
    std::vector<run::Entry> entries =
        run::read_journal(run / run::kJournalFile, control::check_entry);
    const auto last = host::standing_at(run, run / run::kCheckpointsFolder / run::kLastCheckpoint);
    if (last && last->entries_seen > entries.size()) {
        throw RunError(kDataError,
                       fmt::format("{} entries of {} had taken effect, it has {}",
                                   last->entries_seen, run::kJournalFile, entries.size()));
    }
    return entries;
}

constexpr const char* kAsItWas =
    "is for a new training: a replay repeats the run as it was; the experiment in its "
    "folder can be trained with it";

int run_replay(const Given& given) {
    require_one_process("ptprun replay");
    const fs::path run = run_operand(given.operands().front());
    run::refuse_running(run);
    Diagnostics problems;
    const host::RunStages stages = host::stages_of(run, {}, problems);
    if (!problems.ok()) {
        return report(problems, {});
    }
    const auto copies = host::first_plugins(run, problems);
    if (!problems.ok()) {
        report(problems, {});
        return kPluginError;
    }
    const host::Prepared prepared = host::prepare({.file = stages.file.string(),
                                                   .overrides = {},
                                                   .plugins = {},
                                                   .run_plugins = copies,
                                                   .is_safe = given.has("safe-mode")},
                                                  problems);
    const int code = report(problems, prepared.catalog);
    if (!prepared.plan) {
        return code;
    }
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    request.stages = stages.experiments;
    const run::Run was = run::read_run(run, run::this_machine());
    request.trial_kind = was.trial;
    request.replay = {run, whole_journal(run), run / run::kPluginsFolder};
    use_threads_of(run);
    host::use_kernels_of(run);
    if (given.has("swaps")) {
        add_swaps(request.replay->script, run, *given.integer("swaps"), given.texts("plugin"));
    }
    if (given.has("run-dir")) {
        request.run_folder = given.text("run-dir");
    }
    apply_console_options(given, request);
    if (was.state == "stopped" && request.stop_after == 0) {
        stop_with(run, request);
    }
    request.command_line = {"ptprun", "replay"};
    request.command_line.insert(request.command_line.end(), given.words().begin(),
                                given.words().end());
    engine::RunResult result = host::run_in_engine(request);
    if (result.exit_code == kDataError) {
        result.error +=
            "\n    a replay begins from nothing, and reads every file that the run has read\n"
            "    fix: put the files back as the run has read them";
    }
    return report(result);
}

}  // namespace

Command replay_command() {
    return {.name = "replay",
            .summary = "repeats a run, with all that was done to it",
            .operands = {declared_run()},
            .options = tools::concat(
                {{run_dir_option("where the new run goes; must be empty or not exist (default: "
                                 "runs/NAME/TIME)"),
                  {.name = "swaps",
                   .value = "N",
                   .help = "also exchange every plugin N times for a copy of itself",
                   .integers = tools::Integers{.min = 0}},
                  {.name = "plugin",
                   .value = "NAME",
                   .help = "with --swaps: this plugin alone; may be given several times",
                   .is_repeatable = true,
                   .needs = "swaps"},
                  {.name = "over",
                   .value = "FILE",
                   .help = "",
                   .is_repeatable = true,
                   .refusal = kAsItWas},
                  {.name = "set",
                   .value = "KEY=VALUE",
                   .help = "",
                   .is_repeatable = true,
                   .refusal = kAsItWas},
                  safe_mode_option()},
                 console_options(),
                 training_console_options()}),
            .example = "ptprun replay runs/net/20260131_120000 --run-dir again",
            .keeps_results = true,
            .run = run_replay};
}

}  // namespace ptp::ptprun
