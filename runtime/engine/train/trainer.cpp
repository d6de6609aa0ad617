#include "engine/train/trainer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/train/progress_setup.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/training_state.hpp"
#include "run/hashes.hpp"

#include <filesystem>
#include <limits>
#include <utility>

namespace ptp::engine {

namespace {

Status first_end(Status first, Status second) {
    return first == Status::kRunning ? second : first;
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : parts_(parts),
      session_(parts.session),
      stop_(session_.experiment.training.terminal_conditions),
      shown_statistic_(statistic_to_show(session_.statistics, parts.shown_statistic)),
      progress_(parts.console, progress_setup(session_, shown_statistic_)),
      episode_({session_, parts.records, parts.sinks, stop_, progress_, shown_statistic_}),
      evaluator_(evaluator_parts()),
      checkpointer_(checkpointer_parts()),
      controls_(control_parts()) {
    session_.statistics.reset(kTrainingSet);
    if (parts.sinks.take_pictures()) {
        session_.executor.collect(session_.pictures);
    }
}

Evaluator::Parts Trainer::evaluator_parts() {
    return {session_.statistics,
            session_.pictures,
            parts_.records,
            parts_.sinks,
            progress_,
            parts_.console,
            [this](const Evaluation& evaluation) { return evaluate(session_, evaluation); }};
}

Checkpointer::Parts Trainer::checkpointer_parts() {
    using std::filesystem::path;
    Checkpointer::Contents contents;
    contents.save = [this] { return save_session(session_); };
    contents.write = [this](const path& folder, const SavedState& saved,
                            const run::CheckpointRecord& record) {
        write_checkpoint(folder, {session_.components, session_.optimization->average()}, saved,
                         record);
    };
    contents.restore = [this](const path& folder, const SavedState& saved) {
        restore_weights(folder, session_.components);
        restore_session(session_, saved);
    };
    contents.batches_per_epoch = [this] { return session_.training->batch_count(); };
    contents.training_epoch = [this](Position at) {
        return evaluator_.training_epoch(at).measured;
    };
    return {session_.experiment,
            std::move(contents),
            parts_.checkpoints,
            parts_.records,
            parts_.sinks,
            parts_.status,
            parts_.log,
            parts_.live,
            parts_.facts,
            stop_,
            state_,
            time_,
            session_.profiler};
}

TrainingControls::Parts Trainer::control_parts() {
    TrainingControls::Actions actions;
    actions.optimization = [this]() -> Optimization& { return *session_.optimization; };
    actions.batches_per_epoch = [this] { return session_.training->batch_count(); };
    actions.rebind = [this] {
        session_.components.begin_epoch(state_.epoch);
        episode_.rebind();
    };
    actions.save = [this](Status status) { checkpointer_.save(status, false); };
    actions.forget_best = [this] { checkpointer_.forget_best(); };
    if (session_.validation) {
        actions.validate = [this](const Evaluation& evaluation) {
            return evaluator_.validate(evaluation, Table::kValidation);
        };
    }
    return {session_.experiment,
            std::move(actions),
            session_.statistics,
            state_,
            stop_,
            progress_,
            time_,
            parts_.log};
}

bool Trainer::is_online() const {
    return session_.experiment.training.worker == experiment::Worker::kOnline;
}

bool Trainer::has_change() const {
    return state_.batches_done < session_.training->batch_count() &&
           parts_.live.has_change(state_.episodes_done);
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
        checkpointer_.save(state_.status, false);  // so that there is always one to go back to
    }
    for (;;) {
        if (has_change() && live(false) == Status::kInterrupted) {
            checkpointer_.save(Status::kInterrupted, false);
            return Status::kInterrupted;
        }
        if (state_.status != Status::kRunning) {
            return finish_training();
        }
        const Status reason = run_epoch();
        if (reason == Status::kInterrupted || finish_epoch(reason) == Status::kInterrupted) {
            checkpointer_.save(Status::kInterrupted, false);
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

Status Trainer::before_batch() {
    Status status = has_change() ? live(true) : Status::kRunning;  // before its limits count
    if (status == Status::kRunning && !needs_new_pass_) {
        status = between_episodes();
    }
    const bool has_batch = state_.batches_done < session_.training->batch_count();
    if (status == Status::kRunning && !needs_new_pass_ && has_batch) {
        status = live(true);
    }
    return status;
}

std::optional<Status> Trainer::run_batches() {
    session_.components.begin_epoch(state_.epoch);
    Pass pass(*session_.training, state_.epoch, true, state_.batches_done);
    for (;;) {
        const Status status = before_batch();
        if (needs_new_pass_) {
            return std::nullopt;
        }
        if (status != Status::kRunning) {
            return status;
        }
        const double waited = pass.wait_seconds();
        if (!next_batch(pass)) {
            return Status::kRunning;
        }
        const Position at = {state_.episodes_done, state_.epoch};
        const StepOutcome outcome = episode_.run(at, pass, pass.wait_seconds() - waited);
        ++state_.episodes_done;
        ++state_.batches_done;
        if (outcome == StepOutcome::kRollback) {
            return std::nullopt;
        }
    }
}

bool Trainer::next_batch(Pass& pass) {
    const Profiler::Timer timer(session_.profiler, Profiler::kWait);
    return pass.next(session_.frame);
}

Status Trainer::live(bool has_pass) {
    progress_.hold();
    time_.hold();
    const Boundary boundary = parts_.live.at_boundary(controls_, has_pass);
    time_.release();
    progress_.release();
    needs_new_pass_ = boundary == Boundary::kNewPass;
    return boundary == Boundary::kInterrupted ? Status::kInterrupted : Status::kRunning;
}

void Trainer::restart() {
    begin();
    controls_.resume_limits();
    parts_.records.restore({});
    parts_.sinks.restart();
}

void Trainer::restore(const std::filesystem::path& checkpoint, double seconds) {
    checkpointer_.restore(checkpoint, seconds, [this] {
        parts_.live.begin(state_.entries_seen, state_.episodes_done);
        controls_.resume_limits();
    });
}

// Only what the rollback itself has changed outlives it.
void Trainer::roll_back() {
    const std::filesystem::path last = parts_.checkpoints.last();
    run::check_hashes(last);
    const Optimization::RollbackState setback = session_.optimization->setback();
    parts_.records.finish();
    restore(last, time_.seconds());
    session_.optimization->keep(setback);
}

// All that may happen between two episodes leaves the training in a state from which it can
// continue here.
Status Trainer::between_episodes() {
    const std::uint64_t done = state_.episodes_done;
    const auto interval =
        static_cast<std::uint64_t>(session_.experiment.partial_validation_interval);
    const bool is_validation_due =
        interval > 0 && done > 0 && done % interval == 0 && state_.partly_validated != done;
    if (is_validation_due && validate_partly() == Status::kInterrupted) {
        return Status::kInterrupted;
    }
    // Also right after a resume: the checkpoint may have been written before this was asked.
    if (is_online() && done > 0 && state_.partly_validated == done &&
        stop_.judgement() != Status::kRunning) {
        return stop_.judgement();
    }
    if (Signals::received() != 0) {
        return Status::kInterrupted;
    }
    const Status limit = stop_.limit(done, time_.seconds());
    if (limit == Status::kRunning && checkpointer_.is_due()) {
        checkpointer_.save(state_.status, false);
    }
    return limit;
}

// An epoch that a limit ended counts like a whole one: it is validated and saved.
Status Trainer::finish_epoch(Status reason) {
    bool is_best = false;
    const bool is_cut =
        state_.batches_done > 0 && state_.batches_done < session_.training->batch_count();
    if (is_cut && reason != Status::kRunning) {
        checkpointer_.save_before_limit();
    }
    if (episode_.finish() == StepOutcome::kRollback) {
        roll_back();
        return state_.status;
    }
    if (state_.batches_done > 0) {
        const auto epoch = measure_epoch();
        if (!epoch) {
            return Status::kInterrupted;
        }
        if (!is_online()) {
            is_best = judge(*epoch);
            reason = first_end(stop_.judgement(), reason);
        } else if (state_.last.set.empty()) {
            state_.last = *epoch;
        }
        evaluator_.report(*epoch, is_best);
        ++state_.epoch;  // not where a limit was reached between two epochs
    }
    state_.batches_done = 0;
    session_.statistics.reset(kTrainingSet);
    if (reason == Status::kRunning && stop_.is_epoch_limit(state_.epoch)) {
        reason = Status::kEpochLimit;
    }
    state_.status = reason != Status::kRunning && stop_.is_far_off() ? Status::kDiverged : reason;
    checkpointer_.save(state_.status, is_best);
    return state_.status;
}

// Rows are added when nothing can interrupt it any more.
std::optional<Measurement> Trainer::measure_epoch() {
    const Position at = state_.last_position();
    const Evaluator::TrainingEpoch trained = evaluator_.training_epoch(at);
    std::optional<Measurement> validated;
    if (!is_online() && session_.validation) {
        validated = evaluator_.validate({kValidationSet, at, state_.epoch}, Table::kValidation);
        if (!validated) {
            return std::nullopt;
        }
        evaluator_.report(trained.measured, false, true);
    }
    evaluator_.record(trained);
    return validated ? *validated : trained.measured;
}

// The online worker ends with what its last episodes have not had yet: a judgement, and one whole
// validation.
Status Trainer::finish_training() {
    if (!is_online()) {
        return state_.status;
    }
    if (state_.partly_validated != state_.episodes_done) {
        if (!checkpointer_.has_saved_before_limit()) {
            checkpointer_.save_before_limit();
        }
        if (validate_partly() == Status::kInterrupted) {
            return Status::kInterrupted;
        }
        state_.status = stop_.is_far_off() ? Status::kDiverged : state_.status;
        checkpointer_.save(state_.status, false);
    }
    const auto validated =
        evaluator_.validate({kValidationSet, state_.last_position(), 0}, Table::kValidation);
    if (!validated) {
        return Status::kInterrupted;
    }
    evaluator_.report(*validated, false);
    return state_.status;
}

// Always on the same batch, so that the values can be compared.
Status Trainer::validate_partly() {
    const auto validated = evaluator_.validate({kValidationSet, state_.last_position(), 0, 1},
                                               Table::kPartialValidation);
    if (!validated) {
        return Status::kInterrupted;
    }
    state_.partly_validated = state_.episodes_done;
    const bool is_best = is_online() && judge(*validated);
    evaluator_.report(*validated, is_best);
    if (is_best) {
        checkpointer_.save(state_.status, true);
    }
    return Status::kRunning;
}

bool Trainer::judge(const Measurement& measured) {
    bool is_best = false;
    const auto& judge = session_.experiment.training.judge;
    if (judge) {
        const Value* value = measured.statistics.find(judge->statistic);
        const double judged = judge->comparable(
            value != nullptr ? value->as_real() : std::numeric_limits<double>::quiet_NaN());
        is_best = stop_.validated(measured.loss, judged);
        session_.optimization->validated(judged, judge->is_larger_better);
    } else {
        is_best = stop_.validated(measured.loss);
        session_.optimization->validated(measured.loss);
    }
    if (const std::string reason = stop_.unmet_threshold();
        !reason.empty() && !std::exchange(has_told_of_threshold_, true)) {
        parts_.log.warn("{}", reason);
    }
    state_.last = measured;
    if (is_best) {
        state_.best = measured;
    }
    return is_best;
}

std::optional<std::vector<Aggregate>> Trainer::test() {
    std::filesystem::path tested = parts_.checkpoints.best();
    if (!std::filesystem::exists(tested)) {
        tested = parts_.checkpoints.last();
        parts_.log.warn("there are no best weights; the last ones are tested");
    }
    run::check_hashes(tested);
    session_.optimization->end_average();
    restore_evaluated_weights(tested, session_.components);
    return evaluator_.test(state_.last_position());
}

}  // namespace ptp::engine
