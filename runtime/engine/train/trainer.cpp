#include "engine/train/trainer.hpp"

#include "engine/checkpoint/checkpoint.hpp"
#include "engine/data/pass.hpp"
#include "engine/error.hpp"
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
      progress_(parts.console, session_.experiment, session_.training.batch_count()) {
    step_.struct_size = sizeof(ptp_step);
    step_.is_training = 1;
    step_.section = session_.experiment.training.name.c_str();
    step_.set = kTrainingSet;
}

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
        run_episode(pass);
        if (Signals::received() != 0) {
            return Status::kInterrupted;
        }
        if (stop_.is_episode_limit(episodes_done_)) {
            return Status::kEpisodeLimit;
        }
    }
    return Status::kNotConverged;
}

void Trainer::run_episode(const Pass& pass) {
    step_.episode = episodes_done_;
    step_.epoch = epoch_;
    step_.batch_index = pass.batch_index();
    step_.batch_size = pass.batch_size();
    session_.optimizer->forget_gradients();
    session_.executor.run(session_.training.task(), step_, step_.batch_index == 0);

    const std::span<const double> values =
        session_.statistics.collect(kTrainingSet, session_.frame, step_.batch_size);
    if (const std::string bad = session_.statistics.bad_losses(); !bad.empty()) {
        throw RunError(kTrainingError,
                       fmt::format("the loss {} in episode {} (epoch {}): the training "
                                   "has diverged; a lower learning rate may help",
                                   bad, step_.episode, epoch_));
    }
    minimise(session_.statistics.total_loss(session_.frame));
    parts_.records.episode({step_.episode, epoch_}, values);
    session_.frame.clear();
    ++episodes_done_;
    progress_.episode(step_.episode, epoch_, session_.statistics.last_loss());
}

void Trainer::minimise(const at::Tensor& loss) {
    if (!loss.requires_grad()) {
        throw RunError(kTrainingError,
                       "the loss does not depend on any parameter that is trained; is a component "
                       "between the model and the loss not differentiable?");
    }
    try {
        loss.backward();
        session_.optimizer->step();
    } catch (const c10::Error& error) {
        throw RunError(kTrainingError, fmt::format("the backward pass of episode {} failed: {}",
                                                   step_.episode, error.what_without_backtrace()));
    }
}

// Order as documented: threshold, patience, limits. An episode limit validates and saves once more.
Status Trainer::finish_epoch(Status reason) {
    parts_.records.flush();
    const Position at = position();
    std::vector<Aggregate> aggregates = session_.statistics.aggregate(kTrainingSet);
    double loss = session_.statistics.mean_loss(kTrainingSet);
    if (reason == Status::kInterrupted) {
        save(parts_.folder.last_checkpoint(), reason, loss, aggregates);
        return reason;
    }
    parts_.records.training_epoch(at, aggregates);
    if (session_.validation) {
        say_epoch("training", aggregates, false);
        auto validated = evaluate(session_, *session_.validation, kValidationSet, at);
        if (!validated) {
            save(parts_.folder.last_checkpoint(), Status::kInterrupted, loss, aggregates);
            return Status::kInterrupted;
        }
        aggregates = std::move(*validated);
        loss = session_.statistics.mean_loss(kValidationSet);
        parts_.records.validation(at, aggregates);
    }
    const bool is_best = stop_.validated(loss);
    say_epoch(session_.validation ? "validation" : "training", aggregates, is_best);
    const Status after = stop_.after_epoch(epoch_ + 1);
    const bool is_limit = reason == Status::kEpisodeLimit &&
                          (after == Status::kNotConverged || after == Status::kEpochLimit);
    const Status status = is_limit ? reason : after;
    if (is_best) {
        save(parts_.folder.best_checkpoint(), status, loss, aggregates);
    }
    save(parts_.folder.last_checkpoint(), status, loss, aggregates);
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

void Trainer::save(const std::filesystem::path& folder, Status status, double loss,
                   const std::vector<Aggregate>& aggregates) {
    config::Value record = parts_.facts;
    const Position at = position();
    record.set("episode", at.episode);
    record.set("epoch", at.epoch);
    record.set("loss", loss);
    record.set("status", std::string(status_name(status)));
    config::Value values = config::Value::table();
    const std::vector<Column>& columns = session_.statistics.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        values.set(columns[i].name, aggregates[i].value);
    }
    record.set("statistics", std::move(values));
    write_checkpoint(folder, session_.components, record);
    parts_.log.debug("saved {} after episode {}", folder.string(), at.episode);
}

std::optional<std::vector<Aggregate>> Trainer::test() {
    restore_checkpoint(parts_.folder.best_checkpoint(), session_.components);
    auto aggregates = evaluate(session_, *session_.test, kTestSet, position());
    if (aggregates) {
        parts_.records.test(position(), *aggregates);
    }
    return aggregates;
}

}  // namespace ptp::engine
