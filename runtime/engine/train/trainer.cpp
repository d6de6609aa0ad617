// The loop of a training: an epoch is a pass of batches, and each batch is fetched, run forward,
// differentiated and applied to the weights; between two of them the training is validated, saved
// or changed. Requests are served in trainer_requests.cpp.

#include "engine/train/trainer.hpp"

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
    : training_(parts),
      session_(parts.session),
      step_(session_),
      validator_(training_),
      checkpointer_(training_) {
    session_.statistics.reset(kTrainingSet);
    if (parts.sinks.take_pictures()) {
        session_.executor.collect(session_.pictures);
    }
}

Status Trainer::train() {
    const Status status = train_to_end();
    if (status != Status::kInterrupted) {
        session_.optimization->end();
    }
    training_.progress.flush();
    return status;
}

Status Trainer::train_to_end() {
    session_.components.set_training(true);
    session_.collective.exchange();
    training_.policy.begin(training_.seconds());
    if (training_.may_roll_back() && !std::filesystem::exists(training_.checkpoints.last())) {
        checkpointer_.save(training_.state.status(), false);  // so that a rollback always has one
    }
    for (;;) {
        if (has_change() && serve_requests(false) == Status::kInterrupted) {
            checkpointer_.save(Status::kInterrupted, false);
            return Status::kInterrupted;
        }
        if (training_.state.status() != Status::kRunning) {
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
        if (const std::optional<Status> status = run_pass()) {
            return *status;
        }
        if (!std::exchange(needs_new_pass_, false)) {
            roll_back();
        } else if (serve_requests(false) == Status::kInterrupted) {
            return Status::kInterrupted;
        }
    }
}

std::optional<Status> Trainer::run_pass() {
    TrainerProgress& state = training_.state;
    session_.components.begin_epoch(state.epoch);
    Pass pass(*session_.training, state.epoch, true, state.batches_done);
    for (;;) {
        const Status status = before_batch();
        if (needs_new_pass_) {
            return std::nullopt;
        }
        if (status != Status::kRunning) {
            return status;
        }
        const double waited = pass.wait_seconds();
        if (!fetch(pass)) {
            return Status::kRunning;
        }
        const Position at = {state.episodes_done, state.epoch};
        const StepOutcome outcome = train_batch(pass, at, pass.wait_seconds() - waited);
        ++state.episodes_done;
        ++state.batches_done;
        if (outcome == StepOutcome::kRollback) {
            return std::nullopt;
        }
    }
}

bool Trainer::fetch(Pass& pass) {
    const Profiler::Timer timer(session_.profiler, Profiler::kWait);
    return pass.next(session_.frame);
}

// Trains on the batch that the pass has just put into the session's frame.
StepOutcome Trainer::train_batch(const Pass& pass, Position at, double wait_seconds) {
    session_.collective.enter(distributed::Phase::kTraining);
    session_.collective.begin_episode(at.episode);
    const Stopwatch time;
    step_.forward(at, pass);
    const double loss = session_.statistics.last_loss();
    training_.stop.trained(loss);
    look(at);
    StepOutcome outcome = StepOutcome::kApplied;
    try {
        step_.backward();
        outcome = step_.step();
    } catch (const RunError&) {
        record(at, false);
        throw;
    }
    record(at, true);
    const double shown = training_.shown_column
                             ? session_.statistics.values()[*training_.shown_column]
                             : std::numeric_limits<double>::quiet_NaN();
    training_.progress.episode({at.episode, at.epoch, loss, wait_seconds, shown});
    if (session_.threads != nullptr) {
        session_.threads->episode(time.seconds());  // excludes the wait for its batch
    }
    return outcome;
}

// Shows the sinks the batch before its step.
void Trainer::look(Position at) {
    const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
    training_.sinks.tell(&Sink::look_at, at, session_.frame);
}

// Writes the row of an episode, also of one that has failed.
void Trainer::record(Position at, bool has_learned) {
    const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
    training_.send_pictures();
    training_.records.episode(at, session_.statistics.values());
    training_.sinks.tell(&Sink::episode, {at, session_.statistics.values()});
    if (has_learned) {
        training_.sinks.tell(&Sink::learned, at, session_.components);
    }
}

Status Trainer::before_batch() {
    Status status = has_change() ? serve_requests(true) : Status::kRunning;  // before its limits
    if (status == Status::kRunning && !needs_new_pass_) {
        status = between_episodes();
    }
    if (status == Status::kRunning && !needs_new_pass_ && has_batch()) {
        status = serve_requests(true);
    }
    return status;
}

bool Trainer::has_change() const {
    return has_batch() && training_.live.has_change(training_.state.episodes_done);
}

bool Trainer::has_batch() const {
    return training_.state.batches_done < session_.training->batch_count();
}

bool Trainer::is_far_enough() const {
    const TrainerProgress& state = training_.state;
    const std::uint64_t done = training_.is_online() ? state.episodes_done : state.epoch;
    return (training_.stop_after > 0 && done >= training_.stop_after) ||
           (training_.stop_after_episodes > 0 &&
            state.episodes_done >= training_.stop_after_episodes);
}

Status Trainer::serve_requests(bool has_pass) {
    training_.progress.hold();
    training_.time.hold();
    const Boundary boundary = training_.live.at_boundary(*this, has_pass);
    const bool waits = training_.wait != nullptr && boundary == Boundary::kContinue && has_pass;
    const bool is_ended = waits && !training_.wait->wait(*this);
    training_.time.release();
    training_.progress.release();
    needs_new_pass_ = boundary == Boundary::kNewPass;
    return is_ended || boundary == Boundary::kInterrupted ? Status::kInterrupted : Status::kRunning;
}

void Trainer::restart() {
    begin();
    training_.resume_limits();
    training_.records.restore({});
    training_.sinks.restart();
}

// Rolls back everything except the changes of the rollback itself.
void Trainer::roll_back() {
    const std::filesystem::path last = training_.checkpoints.last();
    run::check_hashes(last);
    const Optimization::RollbackState kept = session_.optimization->rollback_state();
    training_.records.finish();
    restore(last, training_.time.seconds());
    session_.optimization->set_rollback_state(kept);
}

// Does everything between two episodes, leaving the training in a state from which it can continue
// here.
Status Trainer::between_episodes() {
    const TrainerProgress& state = training_.state;
    const std::uint64_t done = state.episodes_done;
    const auto interval =
        static_cast<std::uint64_t>(session_.experiment.partial_validation_interval);
    const bool is_validation_due =
        interval > 0 && done > 0 && done % interval == 0 && state.partly_validated != done;
    if (is_validation_due && validate_partly() == Status::kInterrupted) {
        return Status::kInterrupted;
    }
    // This is checked after a resume, too: the checkpoint may have been written before this check.
    if (training_.is_online() && done > 0 && state.partly_validated == done &&
        training_.stop.judgement() != Status::kRunning) {
        return training_.stop.judgement();
    }
    if (session_.collective.take_signal() != 0) {
        return Status::kInterrupted;
    }
    if (is_far_enough()) {  // in each of several processes, which are at the same episode
        Signals::receive(Signals::kStopAfter);
        return Status::kInterrupted;
    }
    const RankNotes agreed = session_.collective.agreed();
    const Status limit = training_.stop.limit(done, agreed.seconds);
    if (limit == Status::kRunning && training_.policy.is_due(state, agreed.is_checkpoint_due)) {
        checkpointer_.save(state.status(), false);
    }
    return limit;
}

// Finishes an epoch; one that a limit ended is validated and saved like a whole one.
Status Trainer::finish_epoch(Status reason) {
    TrainerProgress& state = training_.state;
    bool is_best = false;
    if (state.batches_done > 0 && has_batch() && reason != Status::kRunning) {
        checkpointer_.save_before_limit();
    }
    if (step_.finish() == StepOutcome::kRollback) {
        roll_back();
        return state.status();
    }
    if (state.batches_done > 0) {
        const auto epoch = validator_.measure_epoch();
        if (!epoch) {
            return Status::kInterrupted;
        }
        if (!training_.is_online()) {
            is_best = validator_.judge(epoch->record);
            reason = first_end(training_.stop.judgement(), reason);
        } else if (state.last.set.empty()) {
            state.last = epoch->record;
        }
        validator_.report(*epoch, is_best);
        ++state.epoch;  // not if a limit was reached between two epochs
    }
    state.batches_done = 0;
    session_.statistics.reset(kTrainingSet);
    if (reason == Status::kRunning && training_.stop.is_epoch_limit(state.epoch)) {
        reason = Status::kEpochLimit;
    }
    state.set_status(training_.stop.if_not_far_off(reason));
    if (state.status() == Status::kRunning) {
        checkpointer_.save_or_keep(is_best);
    } else {
        checkpointer_.save(state.status(), is_best);
    }
    return state.status();
}

// Finishes the online worker with a judgement of its last episodes, unless they had one, and a
// whole validation.
Status Trainer::finish_training() {
    TrainerProgress& state = training_.state;
    if (!training_.is_online()) {
        return state.status();
    }
    if (state.partly_validated != state.episodes_done) {
        if (!checkpointer_.has_saved_before_limit()) {
            checkpointer_.save_before_limit();
        }
        if (validate_partly() == Status::kInterrupted) {
            return Status::kInterrupted;
        }
        state.set_status(training_.stop.if_not_far_off(state.status()));
        checkpointer_.save(state.status(), false);
    }
    return validator_.validate() ? state.status() : Status::kInterrupted;
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
