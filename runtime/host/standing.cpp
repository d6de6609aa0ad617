// The checks of a resume by what the checkpoint records of the training.

#include "host/standing.hpp"

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "control/command.hpp"
#include "experiment/resumable.hpp"
#include "run/format.hpp"
#include "run/journal.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace ptp::host {

namespace fs = std::filesystem;

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

// A condition that ends the training again where it has ended, and a value with which it does not.
struct MetCondition {
    std::string name;
    std::string value;
    std::string next;
};

bool is_one_of(const std::string& status, std::initializer_list<const char*> names) {
    return std::ranges::find(names, status) != names.end();
}

// Limits of episodes and epochs that were changed end the run where it is, as asked.
std::vector<MetCondition> met_conditions(const RunStages& stages, const Standing& standing) {
    const experiment::TerminalConditions& old = conditions_before(stages, standing);
    const experiment::TerminalConditions& now = conditions_now(stages);
    std::vector<MetCondition> met;
    const auto add_limit = [&](const char* name, std::int64_t limit, std::int64_t before,
                               std::int64_t done) {
        if (limit == before && limit > 0 && done >= limit) {
            met.push_back({name, std::to_string(limit), std::to_string(2 * limit)});
        }
    };
    const double threshold = now.loss_stop_threshold.value_or(standing.last_loss);
    if (standing.status == "converged" && standing.last_loss < threshold) {
        met.push_back({"loss_stop_threshold", fmt::format("{:g}", threshold),
                       fmt::format("{:g}", std::min(0.0, 2 * standing.last_loss))});
    }
    const std::int64_t patience = now.early_stop_validations;
    const std::int64_t waited = standing.validations_without_gain;
    if (is_one_of(standing.status, {"early_stopping", "converged", "diverged"}) && patience > 0 &&
        waited >= patience) {
        met.push_back({"early_stop_validations", std::to_string(patience),
                       std::to_string(waited + patience)});
    }
    add_limit("epoch_limit", now.epoch_limit, old.epoch_limit,
              standing.epochs - (standing.is_cut ? 1 : 0));
    add_limit("episode_limit", now.episode_limit, old.episode_limit, standing.episodes);
    if (const double time = now.wall_time.seconds; time > 0 && standing.seconds >= time) {
        met.push_back(
            {"wall_time", duration_text(time), duration_text(std::ceil(standing.seconds) + time)});
    }
    return met;
}

std::string options_for(const std::vector<MetCondition>& met) {
    std::string options;
    for (const MetCondition& one : met) {
        options += fmt::format("{}--set {}{}={}", options.empty() ? "" : " ", kConditions, one.name,
                               one.next);
    }
    return options;
}

}  // namespace

std::optional<Standing> standing_at(const fs::path& run, const fs::path& checkpoint) {
    try {
        const Value parts = run::read_training(checkpoint);
        const run::TrainerRecord trainer =
            run::trainer_record_from(run::value_in(parts, run::kTrainerPart, ValueType::kTable));
        Standing standing{.episodes = static_cast<std::int64_t>(trainer.episodes_done),
                          .epochs = static_cast<std::int64_t>(trainer.epoch),
                          .batches = static_cast<std::int64_t>(trainer.batches_done),
                          .seconds = trainer.seconds.value_or(0),
                          .status = trainer.status,
                          .stage = stage_after(trainer.journal, run),
                          .entries_seen = trainer.journal};
        const fs::path last = run / run::kCheckpointsFolder / run::kLastCheckpoint;
        std::error_code ignored;
        standing.is_cut = fs::exists(last.parent_path() / run::kBeforeLimitCheckpoint, ignored) &&
                          fs::equivalent(checkpoint, last, ignored);
        if (const Value* stop = parts.find(run::kStopPart)) {
            const Value* far = stop->find(run::kFarOffInARow);
            standing.is_far_off = far != nullptr && far->is_integer() && far->as_integer() > 0;
            standing.validations_without_gain =
                run::integer_in(*stop, run::kValidationsWithoutGain);
            standing.last_loss = run::real_in(*stop, run::kLastLoss);
        }
        return standing;
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

std::string options_to_train_longer(const RunStages& stages, const Standing& standing) {
    return options_for(met_conditions(stages, standing));
}

void check_changes(const RunStages& stages, const Standing& standing, Diagnostics& problems) {
    const std::vector<MetCondition> met = met_conditions(stages, standing);
    const bool is_training_changed = std::ranges::any_of(
        experiment::differing_keys(stage_of(stages, standing), stages.experiments.back()),
        [](const std::string& key) { return key.starts_with("training."); });
    if (met.empty() || !is_training_changed) {
        return;
    }
    std::vector<std::string> reached;
    for (const MetCondition& one : met) {
        reached.push_back(fmt::format("its {} of {}", one.name, one.value));
    }
    problems.error(SourceLocation("--set", 0, 0), "",
                   Explanation{"no episode would be trained with it: the run has reached " +
                                   join(reached, " and "),
                               "add " + options_for(met)});
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
    const std::string ended = options_to_train_longer(stages, standing);
    return {fmt::format("{}; {} with a lower rate, or train on as it is",
                        reason.empty() ? "the training has diverged" : reason,
                        has_best ? fmt::format("continue from its best weights, after episode {},",
                                               best->episodes)
                                 : "train from scratch"),
            fmt::format("{} {}\n         ptprun resume {} --set {}divergence_factor=0{}",
                        has_best ? fmt::format("ptprun resume {} --checkpoint best", name)
                                 : "ptprun " + shell_word((run / run::kExperimentFile).string()),
                        lower, name, kConditions, ended.empty() ? "" : " " + ended)};
}

}  // namespace ptp::host
