#include "engine/train/trainer.hpp"

#include "engine/checkpoint/checkpoint.hpp"
#include "engine/data/pass.hpp"
#include "engine/stats/number.hpp"
#include "engine/train/evaluate.hpp"
#include "engine/train/signals.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

Trainer::Trainer(const TrainerParts& parts)
    : parts_(parts),
      session_(parts.session),
      stop_(session_.experiment.training.terminal_conditions),
      progress_(parts.console, session_.experiment, session_.training.batch_count()),
      step_(session_) {}

Status Trainer::train() {
    session_.components.set_training(true);
    for (;;) {
        const Status status = finish_epoch(run_epoch());
        if (status != Status::kNotConverged) {
            return status;
        }
        ++epoch_;
    }
}

Status Trainer::run_epoch() {
    session_.statistics.reset(kTrainingSet);
    Pass pass(session_.training, epoch_, true);
    while (pass.next(session_.frame)) {
        const Position at = {episodes_done_, epoch_};
        parts_.records.episode(at, step_.forward(at, pass));
        step_.learn();
        ++episodes_done_;
        progress_.episode(at.episode, epoch_, session_.statistics.last_loss());
        if (Signals::received() != 0) {
            return Status::kInterrupted;
        }
        if (stop_.is_episode_limit(episodes_done_)) {
            return Status::kEpisodeLimit;
        }
    }
    return Status::kNotConverged;
}

// Order as documented: threshold, patience, limits. An episode limit validates and saves once more.
Status Trainer::finish_epoch(Status reason) {
    const Position at = position();
    Measured measured = {"training", session_.statistics.mean_loss(kTrainingSet),
                         session_.statistics.aggregate(kTrainingSet)};
    if (reason == Status::kInterrupted) {
        save(parts_.folder.last_checkpoint(), reason, measured);
        return reason;
    }
    parts_.records.training_epoch({at, session_.statistics.batch_count(kTrainingSet)},
                                  measured.aggregates);
    if (session_.validation) {
        say_epoch("training", measured.aggregates, false);
        auto validated = evaluate(session_, *session_.validation, kValidationSet, at);
        if (!validated) {
            save(parts_.folder.last_checkpoint(), Status::kInterrupted, measured);
            return Status::kInterrupted;
        }
        measured = {"validation", session_.statistics.mean_loss(kValidationSet),
                    std::move(*validated)};
        parts_.records.validation({at, session_.statistics.batch_count(kValidationSet)},
                                  measured.aggregates);
    }
    const bool is_best = stop_.validated(measured.loss);
    say_epoch(measured.set, measured.aggregates, is_best);
    const Status after = stop_.after_epoch(epoch_ + 1);
    const bool is_limit = reason == Status::kEpisodeLimit &&
                          (after == Status::kNotConverged || after == Status::kEpochLimit);
    const Status status = is_limit ? reason : after;
    if (is_best) {
        save(parts_.folder.best_checkpoint(), status, measured);
    }
    save(parts_.folder.last_checkpoint(), status, measured);
    return status;
}

void Trainer::say_epoch(const char* set, const std::vector<Aggregate>& aggregates, bool is_best) {
    const std::string text =
        fmt::format("epoch {}/{}  {:<10}  {}{}", epoch_ + 1,
                    session_.experiment.training.terminal_conditions.epoch_limit, set,
                    set_text(session_.statistics.columns(), aggregates), is_best ? "  (best)" : "");
    parts_.console.headline(text);
    parts_.log.info(text);
}

// The rows of the episodes that made the weights are on the disk before these.
void Trainer::save(const std::filesystem::path& folder, Status status, const Measured& measured) {
    parts_.records.sync();
    config::Value record = parts_.facts;
    const Position at = position();
    record.set("episode", at.episode);
    record.set("epoch", at.epoch);
    record.set("set", measured.set);
    record.set("loss", measured.loss);
    record.set("status", std::string(status_name(status)));
    config::Value values = config::Value::table();
    const std::vector<Column>& columns = session_.statistics.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        values.set(columns[i].name, measured.aggregates[i].value);
    }
    record.set("statistics", std::move(values));
    write_checkpoint(folder, session_.components, record);
    parts_.log.debug("saved {} after episode {}", folder.string(), at.episode);
}

std::optional<std::vector<Aggregate>> Trainer::test() {
    restore_checkpoint(parts_.folder.best_checkpoint(), session_.components);
    auto aggregates = evaluate(session_, *session_.test, kTestSet, position());
    if (aggregates) {
        parts_.records.test({position(), session_.statistics.batch_count(kTestSet)}, *aggregates);
    }
    return aggregates;
}

}  // namespace ptp::engine
