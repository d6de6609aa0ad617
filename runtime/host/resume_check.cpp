#include "host/resume_check.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "control/command.hpp"
#include "experiment/resumable.hpp"
#include "run/format.hpp"
#include "run/journal.hpp"
#include "run/keys.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ptp::host {

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
std::size_t stage_after(std::uint64_t entries_seen, const std::filesystem::path& run) {
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

std::optional<Standing> standing_at(const std::filesystem::path& run,
                                    const std::filesystem::path& checkpoint) {
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
        check_limit("epoch_limit", now.epoch_limit, done, begun, problems);
    }
    if (now.episode_limit != old.episode_limit && now.episode_limit >= 0 &&
        now.episode_limit < standing.episodes) {
        check_limit("episode_limit", now.episode_limit, counted(standing.episodes, "episode"),
                    standing.episodes, problems);
    }
}

void check_changes(const RunStages& stages, const Standing& standing, Diagnostics& problems) {
    const experiment::TerminalConditions& old = conditions_before(stages, standing);
    const experiment::TerminalConditions& now = conditions_now(stages);
    const bool is_by_epochs = is_at(now.epoch_limit, old.epoch_limit, standing.epochs);
    const bool is_by_episodes = is_at(now.episode_limit, old.episode_limit, standing.episodes);
    const std::vector<std::string> keys =
        experiment::differing_keys(stage_of(stages, standing), stages.experiments.back());
    const bool changes_limits = std::ranges::any_of(
        keys, [](const std::string& key) { return key.starts_with(kConditions); });
    const bool changes_training = std::ranges::any_of(
        keys, [](const std::string& key) { return key.starts_with("training."); });
    if ((is_by_epochs || is_by_episodes) && changes_training && !changes_limits) {
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

Explanation why_diverged(const std::filesystem::path& run, const std::string& reason) {
    const std::string name = run.string();
    const auto best = standing_at(run, run / run::kCheckpointsFolder / run::kBestCheckpoint);
    std::string fix;
    if (best && !best->is_far_off) {
        fix = fmt::format(
            "ptprun resume {} --checkpoint best --set training.optimizer.lr=LOWER continues from its "
            "best weights, after episode {}",
            name, best->episodes);
    } else {
        fix = fmt::format("ptprun {} --set training.optimizer.lr=LOWER trains from scratch",
                          (run / run::kExperimentFile).string());
    }
    fix += fmt::format(
        "\n         ptprun resume {} --set "
        "training.terminal_conditions.divergence_factor=0 trains on as it is",
        name);
    return {reason.empty() ? "the training has diverged" : reason, fix};
}

}  // namespace ptp::host
