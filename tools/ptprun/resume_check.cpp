#include "resume_check.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "control/journal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::ptprun {

namespace {

constexpr const char* kConditions = "training.terminal_conditions.";

const experiment::TerminalConditions& conditions_now(const RunStages& stages) {
    return stages.experiments.back().training.terminal_conditions;
}

// Those of the checkpoint.
const experiment::TerminalConditions& conditions_before(const RunStages& stages,
                                                        const Standing& standing) {
    const std::size_t stage = std::min(standing.stage, stages.experiments.size() - 1);
    return stages.experiments[stage].training.terminal_conditions;
}

// The stage after N entries of the journal.
std::size_t stage_after(std::int64_t entries_seen, const std::filesystem::path& run) {
    std::size_t stage = 0;
    for (const control::Entry& entry : control::read_journal(run / "journal.jsonl")) {
        stage += entries_seen-- > 0 && entry.command == "set" ? 1 : 0;
    }
    return stage;
}

std::string counted(std::int64_t count, const char* word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

void check_limit(const std::string& name, std::int64_t limit, const std::string& done,
                 std::int64_t least, Diagnostics& problems) {
    const std::string key = kConditions + name;
    problems.error(SourceLocation("--set", 0, 0), key,
                   fmt::format("{} is below the {} that the run has done\n"
                               "    fix: --set {}=N with N of {} or more",
                               limit, done, key, least));
}

}  // namespace

std::optional<Standing> standing_at(const std::filesystem::path& run,
                                    const std::filesystem::path& checkpoint) {
    const std::filesystem::path file = checkpoint / "training.toml";
    Diagnostics unreadable;
    std::optional<Value> record;
    try {
        record = read_toml(read_text(file), file.string(), unreadable);
    } catch (const RunError&) {
        return std::nullopt;
    }
    const Value* trainer = record ? record->find("trainer") : nullptr;
    if (trainer == nullptr || !trainer->is_table()) {
        return std::nullopt;
    }
    Standing standing;
    std::int64_t entries_seen = 0;
    for (const auto& [key, into] :
         {std::pair("episodes_done", &standing.episodes), std::pair("epoch", &standing.epochs),
          std::pair("batches_done", &standing.batches), std::pair("journal", &entries_seen)}) {
        const Value* value = trainer->find(key);
        if (value == nullptr || !value->is_integer()) {
            return std::nullopt;
        }
        *into = value->as_integer();
    }
    const Value* status = trainer->find("status");
    standing.status = status != nullptr && status->is_string() ? status->as_string() : "";
    const Value* stop = record->find("stop");
    const Value* far = stop != nullptr ? stop->find("far_off_in_a_row") : nullptr;
    standing.is_far_off = far != nullptr && far->is_integer() && far->as_integer() > 0;
    standing.stage = stage_after(entries_seen, run);
    return standing;
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

bool stays_diverged(const RunStages& stages, const Standing& standing) {
    return standing.status == "diverged" && conditions_before(stages, standing).divergence_factor ==
                                                conditions_now(stages).divergence_factor;
}

std::string diverged_text(const std::filesystem::path& run, const std::string& reason) {
    const std::string name = run.string();
    const auto best = standing_at(run, run / "checkpoints" / "best");
    std::string text = reason.empty() ? "the training has diverged" : reason;
    text += "\n    fix: ";
    if (best && !best->is_far_off) {
        text += fmt::format(
            "ptprun resume {} --checkpoint best --set training.optimizer.lr=LOWER continues from its "
            "best weights, after episode {}",
            name, best->episodes);
    } else {
        text += fmt::format("ptprun {} --set training.optimizer.lr=LOWER trains from scratch",
                            (run / "experiment.toml").string());
    }
    return text + fmt::format(
                      "\n         ptprun resume {} --set "
                      "training.terminal_conditions.divergence_factor=0 trains on as it is",
                      name);
}

}  // namespace ptp::ptprun
