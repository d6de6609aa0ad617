// Reads the stages of a run's experiment, and checks whether the last one can continue the run.

#include "host/run_stages.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
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
#include "run/format.hpp"
#include "run/journal.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"
#include "run/record.hpp"
#include "run/training_record.hpp"

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

namespace {

constexpr const char* kConditions = "training.terminal_conditions.";

const experiment::TerminalConditions& conditions_now(const RunStages& stages) {
    return stages.experiments.back().training.terminal_conditions;
}

// Returns the experiment of the checkpoint.
const experiment::Experiment& stage_of(const RunStages& stages, const Standing& standing) {
    return stages.experiments[std::min(standing.stage, stages.experiments.size() - 1)];
}

const experiment::TerminalConditions& conditions_before(const RunStages& stages,
                                                        const Standing& standing) {
    return stage_of(stages, standing).training.terminal_conditions;
}

// The stage after N entries of the journal.
std::size_t stage_after(std::uint64_t entries_seen, const fs::path& run) {
    std::size_t stage = 0;
    for (const run::Entry& entry :
         run::read_journal(run / run::kJournalFile, control::check_entry)) {
        if (entries_seen == 0) {
            break;
        }
        --entries_seen;
        stage += control::is_set(entry) ? 1 : 0;
    }
    return stage;
}

void check_limit(const std::string& name, std::int64_t limit, const std::string& done,
                 std::int64_t least, Diagnostics& problems) {
    const std::string key = kConditions + name;
    problems.error(SourceLocation("--set", 0, 0), key,
                   Explanation{fmt::format("{} is below the {} that the run has done", limit, done),
                               fmt::format("--set {}=N with N of {} or more", key, least)});
}

// Returns whether a limit of the last stage has been reached, and is no other than it was.
bool is_at(std::int64_t limit, std::int64_t before, std::int64_t done) {
    return limit == before && limit > 0 && done >= limit;
}

}  // namespace

std::optional<Standing> standing_at(const fs::path& run, const fs::path& checkpoint) {
    try {
        const Value parts = run::read_training(checkpoint);
        const run::TrainerRecord trainer =
            run::trainer_record_from(run::value_in(parts, run::kTrainerPart, ValueType::kTable));
        const Value* stop = parts.find(run::kStopPart);
        const Value* far = stop != nullptr ? stop->find(run::kFarOffInARow) : nullptr;
        return Standing{.episodes = static_cast<std::int64_t>(trainer.episodes_done),
                        .epochs = static_cast<std::int64_t>(trainer.epoch),
                        .batches = static_cast<std::int64_t>(trainer.batches_done),
                        .status = trainer.status,
                        .is_far_off = far != nullptr && far->is_integer() && far->as_integer() > 0,
                        .stage = stage_after(trainer.journal, run),
                        .entries_seen = trainer.journal};
    } catch (const run::NewerFormat&) {
        throw;
    } catch (const RunError&) {
        return std::nullopt;
    }
}

void check_limits(const RunStages& stages, const Standing& standing, Diagnostics& problems) {
    const experiment::TerminalConditions& old = conditions_before(stages, standing);
    const experiment::TerminalConditions& now = conditions_now(stages);
    const std::int64_t begun = standing.epochs + (standing.batches > 0 ? 1 : 0);
    if (now.epoch_limit != old.epoch_limit && now.epoch_limit >= 0 && now.epoch_limit < begun) {
        std::string done = counted(standing.epochs, "epoch");
        if (standing.batches > 0) {
            done += " and " + counted(standing.batches, "episode");
        }
        check_limit("epoch_limit", now.epoch_limit, done, standing.epochs + 1, problems);
    }
    if (now.episode_limit != old.episode_limit && now.episode_limit >= 0 &&
        now.episode_limit < standing.episodes) {
        check_limit("episode_limit", now.episode_limit, counted(standing.episodes, "episode"),
                    standing.episodes + 1, problems);
    }
}

void check_changes(const RunStages& stages, const Standing& standing, Diagnostics& problems) {
    const experiment::TerminalConditions& old = conditions_before(stages, standing);
    const experiment::TerminalConditions& now = conditions_now(stages);
    const bool is_by_epochs = is_at(now.epoch_limit, old.epoch_limit, standing.epochs);
    const bool is_by_episodes = is_at(now.episode_limit, old.episode_limit, standing.episodes);
    const std::vector<std::string> keys =
        experiment::differing_keys(stage_of(stages, standing), stages.experiments.back());
    const auto changes = [&](const char* table) {
        return std::ranges::any_of(keys,
                                   [&](const std::string& key) { return key.starts_with(table); });
    };
    // An epoch that another limit has cut short counts as one, until that limit is changed.
    const bool is_end = standing.status == (is_by_epochs ? "epoch_limit" : "episode_limit");
    if ((is_by_epochs || is_by_episodes) && changes("training.") &&
        (is_end || !changes(kConditions))) {
        const std::string name = is_by_epochs ? "epoch_limit" : "episode_limit";
        const std::int64_t limit = is_by_epochs ? now.epoch_limit : now.episode_limit;
        problems.error(
            SourceLocation("--set", 0, 0), "",
            Explanation{fmt::format("no episode would be trained with it: the run has reached its "
                                    "{} of {}",
                                    name, limit),
                        fmt::format("add --set {}{}={}", kConditions, name, 2 * limit)});
    }
}

bool stays_diverged(const RunStages& stages, const Standing& standing) {
    return standing.status == "diverged" && conditions_before(stages, standing).divergence_factor ==
                                                conditions_now(stages).divergence_factor;
}

Explanation why_diverged(const fs::path& run, const RunStages& stages, const Standing& standing,
                         const std::string& reason) {
    const std::string name = shell_word(run.string());
    const double rate = optimizer::lr_of(stages.experiments.back().training.optimizer);
    const double before = optimizer::lr_of(stage_of(stages, standing).training.optimizer);
    const std::string lower =
        fmt::format("--set training.optimizer.lr={:g}", rate == before ? rate / 10 : rate);
    const auto best = standing_at(run, run / run::kCheckpointsFolder / run::kBestCheckpoint);
    const bool has_best = best && !best->is_far_off;
    return {fmt::format("{}; {} with a lower rate, or train on as it is",
                        reason.empty() ? "the training has diverged" : reason,
                        has_best ? fmt::format("continue from its best weights, after episode {},",
                                               best->episodes)
                                 : "train from scratch"),
            fmt::format("{} {}\n         ptprun resume {} --set {}divergence_factor=0",
                        has_best ? fmt::format("ptprun resume {} --checkpoint best", name)
                                 : "ptprun " + shell_word((run / run::kExperimentFile).string()),
                        lower, name, kConditions)};
}

}  // namespace ptp::host
