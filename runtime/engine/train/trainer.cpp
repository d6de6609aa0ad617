#include "engine/train/trainer.hpp"

#include "engine/train/progress_setup.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/training_state.hpp"
#include "run/hashes.hpp"

#include <filesystem>
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
      evaluator_({session_.statistics, session_.pictures, parts.records, parts.sinks, progress_,
                  parts.console,
                  [this](const Evaluation& evaluation) { return evaluate(session_, evaluation); },
                  session_.validation_names(),
                  [this] {
                      return [this, before = evaluation_state(session_)] {
                          restore_evaluation(session_, before);
                          session_.pictures.clear();
                      };
                  }}),
      validator_({session_, evaluator_, stop_, state_, parts.log}),
      checkpointer_(checkpointer_parts()),
      controls_(control_parts()) {
    session_.statistics.reset(kTrainingSet);
    if (session_.shared) {
        session_.shared->look_with([this] { return notes(); });
    }
    if (parts.sinks.take_pictures()) {
        session_.executor.collect(session_.pictures);
    }
}

Checkpointer::Parts Trainer::checkpointer_parts() {
    Checkpointer::Contents contents = Checkpointer::contents_of(session_);
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
            session_.profiler,
            session_.shared.get()};
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
            return evaluator_.validate(evaluation);
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

Status Trainer::train() {
    const Status status = train_to_end();
    if (status != Status::kInterrupted) {
        session_.optimization->end();
    }
    progress_.flush();
    return status;
}

Status Trainer::train_to_end() {
    session_.components.set_training(true);
    if (session_.shared) {
        session_.shared->exchange();
    }
    checkpointer_.begin();
    const bool may_roll_back = session_.experiment.training.bad_loss.action == "rollback";
    if (may_roll_back && !std::filesystem::exists(parts_.checkpoints.last())) {
        checkpointer_.save(state_.status, false);  // so that a rollback always has one
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
    Status status = has_change() ? live(true) : Status::kRunning;  // before its limits apply
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
        if (session_.rank_state != nullptr) {
            session_.rank_state->enter(distributed::Phase::kTraining);
            session_.rank_state->begin_episode(static_cast<std::int64_t>(state_.episodes_done));
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

// Returns this process's notes. Several processes decide by the exchanged ones, see signal().
RankNotes Trainer::notes() const {
    return {time_.seconds(), checkpointer_.is_due_by_time(),
            parts_.live.has_request && parts_.live.has_request(), Signals::received()};
}

int Trainer::signal() const {
    return session_.shared ? session_.shared->take_signal() : Signals::received();
}

double Trainer::seconds() const {
    return session_.shared ? session_.shared->agreed().seconds : time_.seconds();
}

bool Trainer::is_far_enough() const {
    const std::uint64_t done = validator_.is_online() ? state_.episodes_done : state_.epoch;
    return (parts_.stop_after > 0 && done >= parts_.stop_after) ||
           (parts_.stop_after_episodes > 0 && state_.episodes_done >= parts_.stop_after_episodes);
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

// Rolls back everything except the changes of the rollback itself.
void Trainer::roll_back() {
    const std::filesystem::path last = parts_.checkpoints.last();
    run::check_hashes(last);
    const Optimization::RollbackState before = session_.optimization->rollback_state();
    parts_.records.finish();
    restore(last, time_.seconds());
    session_.optimization->set_rollback_state(before);
}

// Does everything between two episodes, leaving the training in a state from which it can continue
// here.
Status Trainer::between_episodes() {
    const std::uint64_t done = state_.episodes_done;
    const auto interval =
        static_cast<std::uint64_t>(session_.experiment.partial_validation_interval);
    const bool is_validation_due =
        interval > 0 && done > 0 && done % interval == 0 && state_.partly_validated != done;
    if (is_validation_due && validate_partly() == Status::kInterrupted) {
        return Status::kInterrupted;
    }
    // Also directly after a resume: the checkpoint may have been written before this check.
    if (validator_.is_online() && done > 0 && state_.partly_validated == done &&
        stop_.judgement() != Status::kRunning) {
        return stop_.judgement();
    }
    if (signal() != 0) {
        return Status::kInterrupted;
    }
    if (is_far_enough()) {  // in each of several processes, which are at the same episode
        Signals::receive(Signals::kStopAfter);
        return Status::kInterrupted;
    }
    const Status limit = stop_.limit(done, seconds());
    if (limit == Status::kRunning && checkpointer_.is_due()) {
        checkpointer_.save(state_.status, false);
    }
    return limit;
}

// Finishes an epoch; one that a limit ended is validated and saved like a whole one.
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
        const auto epoch = validator_.measure_epoch();
        if (!epoch) {
            return Status::kInterrupted;
        }
        if (!validator_.is_online()) {
            is_best = validator_.judge(*epoch);
            reason = first_end(stop_.judgement(), reason);
        } else if (state_.last.set.empty()) {
            state_.last = *epoch;
        }
        evaluator_.report(*epoch, is_best);
        ++state_.epoch;  // not if a limit was reached between two epochs
    }
    state_.batches_done = 0;
    session_.statistics.reset(kTrainingSet);
    if (reason == Status::kRunning && stop_.is_epoch_limit(state_.epoch)) {
        reason = Status::kEpochLimit;
    }
    state_.status = reason != Status::kRunning && stop_.is_far_off() ? Status::kDiverged : reason;
    if (state_.status == Status::kRunning) {
        checkpointer_.save_or_keep(is_best);
    } else {
        checkpointer_.save(state_.status, is_best);
    }
    return state_.status;
}

// Finishes the online worker with a judgement of its last episodes, unless they had one, and a
// whole validation.
Status Trainer::finish_training() {
    if (!validator_.is_online()) {
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
    return validator_.validate() ? state_.status : Status::kInterrupted;
}

Status Trainer::validate_partly() {
    const std::optional<bool> is_best = validator_.validate_partly();
    if (!is_best) {
        return Status::kInterrupted;
    }
    if (*is_best) {
        checkpointer_.save_or_keep(true);
    }
    return Status::kRunning;
}

}  // namespace ptp::engine
