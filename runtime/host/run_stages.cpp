// Reads the stages of a run's experiment, and checks what changes.

#include "host/run_stages.hpp"

#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "control/command.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/resumable.hpp"
#include "host/prepare.hpp"
#include "host/train_anew.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"

#include <fmt/core.h>

#include <algorithm>
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

// Returns whether experiment.toml is one of the stages. Before a change its hash is compared.
bool is_record_known(const fs::path& run, const RunStages& stages) {
    const fs::path file = run / run::kExperimentFile;
    if (file == stages.file) {
        return true;
    }
    Diagnostics unreadable;
    const auto recorded = experiment_in(file, {}, unreadable);
    return recorded && unreadable.ok() &&
           std::ranges::any_of(stages.experiments, [&](const auto& stage) {
               return experiment::differing_keys(stage, *recorded).empty();
           });
}

// Accepts only changes of experiment.toml that the run itself has made.
void check_record(const fs::path& run, const RunStages& stages, Diagnostics& problems) {
    const fs::path file = run / run::kExperimentFile;
    if (!is_record_known(run, stages)) {
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
    const std::string option(after.scheduler ? missing_length(*after.scheduler) : "");
    if (is_other_end && !option.empty()) {
        problems.warning(
            SourceLocation("--set", 0, 0), "training.scheduler." + option,
            fmt::format("{} spans the whole training: from here on the learning rates follow a "
                        "schedule to the new end, unlike the rates so far",
                        name_of(*after.scheduler)));
    }
}

// Refuses keys that no resume changes, with the command that trains anew where the experiment takes
// the values.
void refuse(const fs::path& run, const std::vector<std::string>& keys, const TakenValues& values,
            Diagnostics& problems) {
    experiment::refuse_changes(
        keys, values.experiment ? train_anew(run, keys, values.values) : Explanation{}, problems);
}

// Checks a change by --set: only values that a run may change, and not to their current value.
void check_change(const fs::path& run, const experiment::Experiment& before,
                  const experiment::Experiment& after, const std::vector<std::string>& new_values,
                  Diagnostics& problems) {
    std::vector<std::string> changed;
    std::vector<std::string> refused;
    for (const std::string& key : experiment::differing_keys(before, after)) {
        (experiment::is_resumable(key) ? changed : refused).push_back(key);
    }
    if (!refused.empty()) {
        refuse(run, refused, taken_values(run, new_values), problems);
    }
    if (changed.empty() && problems.ok()) {
        problems.error(SourceLocation("--set", 0, 0), "",
                       fmt::format("{}: the run has this value already", join(new_values, ", ")));
    }
    if (problems.ok() && std::ranges::none_of(changed, is_of_schedule)) {
        warn_of_schedule(before.training, after.training, problems);
    }
}

// A key of --set, and whether the experiment knows it, and has another value.
struct GivenKey {
    std::string name;
    bool is_known = false;
    bool is_other = false;
};

GivenKey given_key(const std::string& text, const Value& tree) {
    Diagnostics reported_elsewhere;
    const auto value = experiment::read_override(text, 1, reported_elsewhere);
    const std::string key = value ? join(value->path, ".") : "";
    const Value* const old = experiment::value_at(tree, key);
    return {key, old != nullptr || experiment::is_declared(key),
            value && (old == nullptr || *old != value->value)};
}

// Refuses values with which there is no experiment: values that may not change are the reason for
// everything else, such as options of Adam with SGD. Those that may change are refused later.
void refuse_values(const fs::path& run, const experiment::Experiment& before,
                   const std::vector<std::string>& new_values, Diagnostics& problems) {
    const Value tree = experiment::resolved_tree(before);
    const TakenValues taken = taken_values(run, new_values);
    const auto differing = taken.experiment ? experiment::differing_keys(before, *taken.experiment)
                                            : std::vector<std::string>();
    std::vector<std::string> refused;
    for (const TakenValue& value : taken.values) {
        const GivenKey given = given_key(value.given, tree);
        const GivenKey meant = given_key(value.taken, tree);
        const GivenKey& asked = given.is_known ? given : meant;
        const bool is_changed = std::ranges::any_of(differing, [&](const std::string& one) {
            return (one == meant.name || one.starts_with(meant.name + ".")) &&
                   !experiment::is_resumable(one);
        });
        const bool is_refused =
            asked.is_known && asked.is_other && !experiment::is_resumable(asked.name);
        if (taken.experiment ? is_changed : is_refused) {
            refused.push_back(asked.name);
        }
    }
    if (!refused.empty()) {
        refuse(run, refused, taken, problems);
    }
}

}  // namespace

RunStages stages_of(const fs::path& run, const std::vector<std::string>& new_values,
                    Diagnostics& problems, std::optional<std::uint64_t> until) {
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
    std::size_t kept_stages = 1;
    std::size_t kept_values = 0;
    for (const run::Entry& entry :
         run::read_journal(run / run::kJournalFile, control::check_entry)) {
        if (control::is_set(entry) && !add(run::set_values(entry))) {
            problems.error(SourceLocation((run / run::kJournalFile).string(), 0, 0), "",
                           fmt::format("the experiment cannot be changed to {}",
                                       join(run::set_values(entry), ", ")));
            return stages;
        }
        if (!until || entry.episode <= *until) {
            kept_stages = stages.experiments.size();
            kept_values = stages.values.size();
        }
    }
    check_record(run, stages, problems);
    stages.experiments.erase(stages.experiments.begin() + static_cast<std::ptrdiff_t>(kept_stages),
                             stages.experiments.end());
    stages.values.resize(kept_values);
    if (new_values.empty()) {
        return stages;
    }
    const experiment::Experiment before = stages.experiments.back();
    if (add(new_values)) {
        check_change(run, before, stages.experiments.back(), new_values, problems);
    } else {
        refuse_values(run, before, new_values, problems);
    }
    return stages;
}

std::optional<fs::path> changed_experiment(const fs::path& run) {
    Diagnostics unreadable;
    const RunStages stages = stages_of(run, {}, unreadable);
    const fs::path record = run / run::kRecordFile;
    std::error_code ignored;  // a run without the record cannot be resumed
    if (fs::is_regular_file(record, ignored) && fs::is_regular_file(stages.file, ignored) &&
        run::record_from(read_text(record), record).experiment_sha256 !=
            sha256_of_file(stages.file)) {
        return stages.file;
    }
    return is_record_known(run, stages) ? std::nullopt : std::optional(run / run::kExperimentFile);
}

}  // namespace ptp::host
