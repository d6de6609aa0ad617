#include "engine/train/trainer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace ptp::engine {

namespace {

const char* set_name(Table table) {
    switch (table) {
        case Table::kValidation:
            return "validation";
        case Table::kPartialValidation:
            return "partial_validation";
        case Table::kTest:
            return "test";
        default:
            return "training";
    }
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : parts_(parts),
      session_(parts.session),
      stop_(session_.experiment.training.terminal_conditions),
      shown_statistic_(statistic_to_show(session_, parts.shown_statistic)),
      progress_(parts.console, progress_setup(session_, shown_statistic_)),
      step_(session_) {
    session_.statistics.reset(kTrainingSet);
    if (parts.sinks.take_pictures()) {
        session_.executor.collect(session_.pictures);
    }
}

Position Trainer::last_position() const {
    const bool is_between_epochs = batches_done_ == 0 && epoch_ > 0;
    return {episodes_done_ - (episodes_done_ > 0 ? 1 : 0), is_between_epochs ? epoch_ - 1 : epoch_};
}

bool Trainer::is_online() const {
    return session_.experiment.training.worker == experiment::Worker::kOnline;
}

Status Trainer::train() {
    const Status status = train_to_end();
    progress_.flush();
    return status;
}

Status Trainer::train_to_end() {
    session_.components.set_training(true);
    const bool may_roll_back = session_.experiment.training.bad_loss.action == "rollback";
    if (may_roll_back && !std::filesystem::exists(parts_.checkpoints.last())) {
        save(status_, false);  // so that there is always one to go back to
    }
    for (;;) {
        if (has_change() && live(false) == Status::kInterrupted) {
            save(Status::kInterrupted, false);
            return Status::kInterrupted;
        }
        if (status_ != Status::kRunning) {
            return finish_training();
        }
        const Status reason = run_epoch();
        if (reason == Status::kInterrupted || finish_epoch(reason) == Status::kInterrupted) {
            save(Status::kInterrupted, false);
            return Status::kInterrupted;
        }
    }
}

Status Trainer::run_epoch() {
    for (;;) {
        if (const std::optional<Status> status = run_batches()) {
            return *status;
        }
        if (!std::exchange(needs_new_pass_, false)) {
            roll_back();
        } else if (live(false) == Status::kInterrupted) {
            return Status::kInterrupted;
        }
    }
}

std::optional<Status> Trainer::run_batches() {
    Pass pass(*session_.training, epoch_, true, batches_done_);
    for (;;) {
        if (has_change()) {  // of the limits that are looked at next
            if (live(true) == Status::kInterrupted) {
                return Status::kInterrupted;
            }
            if (needs_new_pass_) {
                return std::nullopt;
            }
        }
        const Status status = between_episodes();
        if (status != Status::kRunning) {
            return status;
        }
        if (batches_done_ < session_.training->batch_count()) {
            if (live(true) == Status::kInterrupted) {
                return Status::kInterrupted;
            }
            if (needs_new_pass_) {
                return std::nullopt;
            }
        }
        if (!next_batch(pass)) {
            return Status::kRunning;
        }
        if (run_episode(pass) == StepOutcome::kRollback) {
            return std::nullopt;
        }
    }
}

Status Trainer::live(bool has_pass) {
    progress_.hold();
    training_time_.hold();
    const LiveControl::Then then = parts_.live.at_boundary(*this, has_pass);
    training_time_.release();
    progress_.release();
    needs_new_pass_ = then == LiveControl::Then::kNewPass;
    return then == LiveControl::Then::kInterrupted ? Status::kInterrupted : Status::kRunning;
}

StepOutcome Trainer::run_episode(const Pass& pass) {
    const Position at = {episodes_done_, epoch_};
    step_.forward(at, pass);
    {
        const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
        parts_.sinks.look_at(at, session_.frame);
    }
    stop_.trained(session_.statistics.last_loss());
    const StepOutcome learned = train_step(at);
    ++episodes_done_;
    ++batches_done_;
    const double wait = pass.wait_seconds() - waited_;
    progress_.episode({at.episode, epoch_, session_.statistics.last_loss(), wait, shown_value()});
    return learned;
}

// Its row is there whatever becomes of the episode.
StepOutcome Trainer::train_step(Position at) {
    const auto record = [&] {
        const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
        record_pictures();
        parts_.records.episode(at, session_.statistics.values());
        parts_.sinks.episode({at, session_.statistics.values()});
    };
    StepOutcome learned = StepOutcome::kApplied;
    try {
        learned = step_.train_step();
    } catch (const RunError&) {
        record();
        throw;
    }
    record();
    const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
    parts_.sinks.learned(at, session_.components);
    return learned;
}

bool Trainer::next_batch(Pass& pass) {
    waited_ = pass.wait_seconds();
    const Profiler::Timer timer(session_.profiler, Profiler::kWait);
    return pass.next(session_.frame);
}

void Trainer::record_pictures() {
    parts_.sinks.pictures(session_.pictures);
    session_.pictures.clear();
}

void Trainer::record(Table table, const SetPosition& position,
                     const std::vector<Aggregate>& aggregates) {
    parts_.records.set(table, position, aggregates);
    parts_.sinks.set({set_name(table), position, aggregates});
}

void Trainer::restart() {
    parts_.live.begin(0, 0);
    resume_limits();
    parts_.records.restore({});
    parts_.sinks.restart();
}

// Only what the rollback itself has changed outlives it.
void Trainer::roll_back() {
    const std::filesystem::path last = parts_.checkpoints.last();
    check_hashes(last);
    const Optimization::RollbackState setback = session_.optimization->setback();
    parts_.records.finish();
    restore(last, training_time_.seconds());
    session_.optimization->keep(setback);
}

// All that may happen between two episodes leaves the training in a state from which it can go on
// here.
Status Trainer::between_episodes() {
    const auto interval =
        static_cast<std::uint64_t>(session_.experiment.partial_validation_interval);
    const bool is_validation_due = interval > 0 && episodes_done_ > 0 &&
                                   episodes_done_ % interval == 0 &&
                                   partly_validated_ != episodes_done_;
    if (is_validation_due && validate_partly() == Status::kInterrupted) {
        return Status::kInterrupted;
    }
    // Also right after a resume: the checkpoint may have been written before this was asked.
    if (is_online() && episodes_done_ > 0 && partly_validated_ == episodes_done_ &&
        stop_.judgement() != Status::kRunning) {
        return stop_.judgement();
    }
    if (Signals::received() != 0) {
        return Status::kInterrupted;
    }
    const Status limit = stop_.limit(episodes_done_, training_time_.seconds());
    if (limit == Status::kRunning && is_checkpoint_due()) {
        save(status_, false);
    }
    return limit;
}

bool Trainer::is_checkpoint_due() const {
    const experiment::Checkpointing& when = session_.experiment.checkpoint;
    if (saved_ == episodes_done_) {
        return false;
    }
    const auto interval = static_cast<std::uint64_t>(when.every_episodes);
    return (interval > 0 && episodes_done_ % interval == 0) ||
           (when.every.seconds > 0 && since_save_.seconds() >= when.every.seconds);
}

// An epoch that a limit ended counts like a whole one: it is validated and saved.
Status Trainer::finish_epoch(Status reason) {
    bool is_best = false;
    const bool is_cut = batches_done_ > 0 && batches_done_ < session_.training->batch_count();
    if (is_cut && reason != Status::kRunning) {
        save_before_limit();
    }
    if (step_.finish() == StepOutcome::kRollback) {
        roll_back();
        return status_;
    }
    if (batches_done_ > 0) {
        const auto epoch = measure_epoch();
        if (!epoch) {
            return Status::kInterrupted;
        }
        if (!is_online()) {
            is_best = judge(*epoch);
            const Status verdict = stop_.judgement();
            reason = verdict == Status::kRunning ? reason : verdict;
        } else if (last_.set.empty()) {
            last_ = *epoch;
        }
        say(*epoch, is_best);
    }
    epoch_ += batches_done_ > 0 ? 1 : 0;  // a limit may be reached between two epochs
    batches_done_ = 0;
    session_.statistics.reset(kTrainingSet);
    if (reason == Status::kRunning && stop_.is_epoch_limit(epoch_)) {
        reason = Status::kEpochLimit;
    }
    status_ = reason != Status::kRunning && stop_.is_far_off() ? Status::kDiverged : reason;
    save(status_, is_best);
    return status_;
}

// By what the worker judges, if it does at the end of an epoch. Rows are added when nothing can
// interrupt it any more.
std::optional<Measurement> Trainer::measure_epoch() {
    const std::vector<Aggregate> aggregates = session_.statistics.aggregate(kTrainingSet);
    const Measurement trained = measured(session_.statistics, kTrainingSet, aggregates,
                                         set_name(Table::kTrainingEpochs), last_position());
    const SetPosition whole = {last_position(), session_.statistics.batch_count(kTrainingSet)};
    std::optional<Measurement> validated;
    if (!is_online() && session_.validation) {
        validated = validate({kValidationSet, last_position(), epoch_}, Table::kValidation);
        if (!validated) {
            return std::nullopt;
        }
        say(trained, false, true);
    }
    record(Table::kTrainingEpochs, whole, aggregates);
    return validated ? std::move(*validated) : trained;
}

// The online worker ends with what its last episodes have not had yet: a judgement, and one whole
// validation.
Status Trainer::finish_training() {
    if (!is_online()) {
        return status_;
    }
    if (partly_validated_ != episodes_done_) {
        if (!is_saved_before_limit_) {
            save_before_limit();
        }
        if (validate_partly() == Status::kInterrupted) {
            return Status::kInterrupted;
        }
        status_ = stop_.is_far_off() ? Status::kDiverged : status_;
        save(status_, false);
    }
    const auto validated = validate({kValidationSet, last_position(), 0}, Table::kValidation);
    if (!validated) {
        return Status::kInterrupted;
    }
    say(*validated, false);
    return status_;
}

std::optional<Measurement> Trainer::validate(const Evaluation& evaluation, Table table) {
    const EvaluationState before = evaluation_state(session_);
    const auto aggregates =
        evaluate(session_, *session_.validation, with_progress(evaluation, Phase::kValidation));
    if (!aggregates) {
        restore_evaluation(session_, before);
        session_.pictures.clear();  // A resumed run makes this pass, and shows them, again.
        return std::nullopt;
    }
    record_pictures();
    record(table, {evaluation.position, session_.statistics.batch_count(kValidationSet)},
           *aggregates);
    return measured(session_.statistics, kValidationSet, *aggregates, set_name(table),
                    evaluation.position);
}

// Always on the same batch, so that the values can be compared.
Status Trainer::validate_partly() {
    const auto validated =
        validate({kValidationSet, last_position(), 0, 1}, Table::kPartialValidation);
    if (!validated) {
        return Status::kInterrupted;
    }
    partly_validated_ = episodes_done_;
    if (!is_online()) {
        say(*validated, false);
        return Status::kRunning;
    }
    const bool is_best = judge(*validated);
    say(*validated, is_best);
    if (is_best) {
        save(status_, true);
    }
    return Status::kRunning;
}

bool Trainer::judge(const Measurement& measured) {
    const bool is_best = stop_.validated(measured.loss);
    session_.optimization->validated(measured.loss);
    if (const std::string reason = stop_.unmet_threshold();
        !reason.empty() && !std::exchange(has_told_of_threshold_, true)) {
        parts_.log.warn("{}", reason);
    }
    last_ = measured;
    if (is_best) {
        best_ = measured;
    }
    return is_best;
}

std::optional<std::vector<Aggregate>> Trainer::test() {
    std::filesystem::path tested = parts_.checkpoints.best();
    if (!std::filesystem::exists(tested)) {
        tested = parts_.checkpoints.last();
        parts_.log.warn("there are no best weights; the last ones are tested");
    }
    check_hashes(tested);
    session_.optimization->end_average();
    restore_evaluated_weights(tested, session_.components);
    const Evaluation whole = {kTestSet, last_position(), last_position().epoch};
    auto aggregates = evaluate(session_, *session_.test, with_progress(whole, Phase::kTest));
    if (aggregates) {
        record_pictures();
        record(Table::kTest, {last_position(), session_.statistics.batch_count(kTestSet)},
               *aggregates);
    }
    return aggregates;
}

}  // namespace ptp::engine
