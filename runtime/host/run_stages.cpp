#include "host/run_stages.hpp"

#include "base/text.hpp"
#include "control/command.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/resumable.hpp"
#include "host/prepare.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

std::optional<experiment::Experiment> experiment_in(const fs::path& file,
                                                    const std::vector<std::string>& values,
                                                    Diagnostics& problems) {
    const auto tree = experiment::load_experiment({file, values, home_folder()}, problems);
    if (!tree) {
        return std::nullopt;
    }
    return experiment::read_experiment(
        *tree, {.default_name = file.stem().string(), .home = home_folder()}, problems);
}

// Accepts only changes of experiment.toml that the run itself has made. Before the first change its
// hash is compared.
void check_record(const fs::path& run, const RunStages& stages, Diagnostics& problems) {
    const fs::path file = run / run::kExperimentFile;
    if (file == stages.file) {
        return;
    }
    Diagnostics unreadable;
    const auto recorded = experiment_in(file, {}, unreadable);
    const bool is_known = recorded && unreadable.ok() &&
                          std::ranges::any_of(stages.experiments, [&](const auto& stage) {
                              return experiment::differing_keys(stage, *recorded).empty();
                          });
    if (!is_known) {
        problems.error(SourceLocation(file.string(), 0, 0), "",
                       "has changed since the run wrote it; a run continues as it began, but for "
                       "what resume --set changes");
    }
}

bool is_of_schedule(const std::string& key) {
    return key.starts_with("training.scheduler");
}

// Warns of a schedule without a length of its own, which is as long as the training.
void warn_of_schedule(const experiment::Training& before, const experiment::Training& after,
                      Diagnostics& problems) {
    const auto& old = before.terminal_conditions;
    const auto& now = after.terminal_conditions;
    const bool is_other_end =
        old.epoch_limit != now.epoch_limit || old.episode_limit != now.episode_limit;
    const schedule::TotalEpisodes* length =
        after.scheduler ? schedule::length_of(*after.scheduler) : nullptr;
    if (is_other_end && length != nullptr && !length->given) {
        problems.warning(
            SourceLocation("--set", 0, 0), "training.scheduler.total_episodes",
            fmt::format("{} spans the whole training: from here on the learning rates follow a "
                        "schedule to the new end, unlike the rates so far",
                        name_of(*after.scheduler)));
    }
}

// Checks a change by --set: only values that a run may change, and not to their current value.
void check_change(const experiment::Experiment& before, const experiment::Experiment& after,
                  const std::vector<std::string>& new_values, Diagnostics& problems) {
    const auto changed = experiment::check_resumable(before, after, problems);
    if (changed.empty() && problems.ok()) {
        problems.error(SourceLocation("--set", 0, 0), "",
                       fmt::format("{}: the run has this value already", join(new_values, ", ")));
    }
    if (problems.ok() && std::ranges::none_of(changed, is_of_schedule)) {
        warn_of_schedule(before.training, after.training, problems);
    }
}

// Refuses values with which there is no experiment: values that may not change are the reason for
// everything else, such as options of Adam with SGD.
void refuse_values(const experiment::Experiment& before, const std::vector<std::string>& new_values,
                   Diagnostics& problems) {
    const Value tree = experiment::resolved_tree(before);
    for (const std::string& text : new_values) {
        Diagnostics reported_elsewhere;
        const auto value = experiment::read_override(text, 1, reported_elsewhere);
        const std::string key = value ? join(value->path, ".") : "";
        const Value* old = value ? experiment::value_at(tree, key) : nullptr;
        if (old != nullptr && !old->is_table() && !(*old == value->value) &&
            !experiment::is_resumable(key)) {
            experiment::refuse_change(key, problems);
        }
    }
}

}  // namespace

RunStages stages_of(const fs::path& run, const std::vector<std::string>& new_values,
                    Diagnostics& problems) {
    std::error_code ignored;
    RunStages stages;
    stages.file = fs::exists(run / run::kFirstExperimentFile, ignored)
                      ? run / run::kFirstExperimentFile
                      : run / run::kExperimentFile;
    const auto add = [&](const std::vector<std::string>& values) {
        stages.values.insert(stages.values.end(), values.begin(), values.end());
        Diagnostics found;
        auto stage = experiment_in(stages.file, stages.values, found);
        if (stage && found.ok()) {
            stages.experiments.push_back(std::move(*stage));
            return true;
        }
        return false;
    };
    if (!add({})) {
        return stages;
    }
    for (const run::Entry& entry :
         run::read_journal(run / run::kJournalFile, control::check_entry)) {
        if (control::is_set(entry) && !add(run::set_values(entry))) {
            problems.error(SourceLocation((run / run::kJournalFile).string(), 0, 0), "",
                           fmt::format("the experiment cannot be changed to {}",
                                       join(run::set_values(entry), ", ")));
            return stages;
        }
    }
    check_record(run, stages, problems);
    if (new_values.empty()) {
        return stages;
    }
    const experiment::Experiment before = stages.experiments.back();
    if (add(new_values)) {
        check_change(before, stages.experiments.back(), new_values, problems);
    } else {
        refuse_values(before, new_values, problems);
    }
    return stages;
}

}  // namespace ptp::host
