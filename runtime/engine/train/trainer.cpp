// The loop of a training: an epoch is a pass of batches, and each batch is fetched, run forward,
// differentiated and applied to the weights; between two of them the training is validated, saved
// or changed. Requests are served in trainer_requests.cpp.

#include "engine/train/trainer.hpp"

#include "engine/output/model_facts.hpp"
#include "engine/train/first_targets.hpp"
#include "run/hashes.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

namespace ptp::engine {

namespace {

bool has_loaded_weights(const experiment::Experiment& experiment) {
    return experiment.pipeline.load ||
           std::ranges::any_of(experiment.pipeline.components,
                               [](const auto& component) { return component.load.has_value(); });
}

Status first_end(Status first, Status second) {
    return first == Status::kRunning ? second : first;
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts)
    : context_(parts),
      session_(parts.session),
      episode_(session_),
      validator_(context_),
      checkpointer_(context_) {
    session_.statistics.reset(kTrainingSet);
    if (parts.sinks.take_pictures()) {
        session_.executor.collect(session_.pictures);
    }
}

Status Trainer::train() {
    const Status status = train_to_end();
    if (status != Status::kInterrupted) {
        session_.optimization->end();
        const std::string problem = progress_ ? progress_->problem() : "";
        if (!problem.empty() && status != Status::kDiverged) {
            context_.log.warn(problem);
        }
    }
    context_.progress.flush();
    return status;
}

Status Trainer::train_to_end() {
    session_.components.set_training(true);
    std::error_code none;
    are_facts_due_ = has_model_file() && (context_.state.episodes_done == 0 ||
                                          !std::filesystem::exists(context_.model_file, none));
    const bool is_judged =  // unlike a range test of the learning rate
        session_.experiment.training.terminal_conditions.divergence_factor > 0;
    if (is_judged && context_.state.episodes_done == 0 &&
        !has_loaded_weights(session_.experiment)) {
        progress_.emplace();
    }
    session_.collective.exchange();
    context_.policy.begin(context_.seconds());
    if (context_.may_roll_back() && !std::filesystem::exists(context_.checkpoints.last())) {
        checkpointer_.save(context_.state.status(), false);  // so that a rollback always has one
    }
    for (;;) {
        if (has_change() && serve_requests(false) == Boundary::kInterrupted) {
            checkpointer_.save(Status::kInterrupted, false);
            return Status::kInterrupted;
        }
        if (context_.state.status() != Status::kRunning) {
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
        const EndedPass pass = run_pass();
        if (pass.end == PassEnd::kEpoch) {
            return pass.status;
        }
        if (pass.end == PassEnd::kRollback) {
            roll_back();
        } else if (serve_requests(false) == Boundary::kInterrupted) {
            return Status::kInterrupted;
        }
    }
}

Trainer::EndedPass Trainer::run_pass() {
    TrainerProgress& state = context_.state;
    session_.components.begin_epoch(state.epoch);
    Pass pass(*session_.training, state.epoch, true, state.batches_done);
    for (;;) {
        if (const auto ended = before_batch()) {
            return *ended;
        }
        const double waited = pass.wait_seconds();
        if (!fetch(pass)) {
            return {};
        }
        const Position at = {state.episodes_done, state.epoch};
        const StepOutcome outcome = train_batch(pass, at, pass.wait_seconds() - waited);
        ++state.episodes_done;
        ++state.batches_done;
        if (outcome == StepOutcome::kRollback) {
            return {.end = PassEnd::kRollback};
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
    forward(at, pass);
    if (at.episode == 0) {
        warn_of_target_range(session_.executor.plan(), session_.frame, context_.log);
        warn_of_seen_answers(session_.executor.plan(), session_.frame, context_.log);
        warn_of_counted_padding(session_, context_.log);
        warn_of_unlike_scales(session_.executor.plan(), session_.frame, context_.log);
    }
    const double loss = session_.statistics.last_loss();
    context_.stop.trained(loss);
    if (progress_) {
        progress_->trained(loss);
    }
    look(at);
    StepOutcome outcome = StepOutcome::kApplied;
    try {
        episode_.backward();
        outcome = episode_.step();
    } catch (const RunError&) {
        record(at, false);
        throw;
    }
    record(at, true);
    if (outcome == StepOutcome::kSkipped) {
        context_.note("skip", at);
    }
    const double shown = context_.shown_column
                             ? session_.statistics.values()[*context_.shown_column]
                             : std::numeric_limits<double>::quiet_NaN();
    context_.progress.episode({at.episode, at.epoch, loss, wait_seconds, shown});
    if (session_.threads != nullptr) {
        session_.threads->episode(time.seconds());  // excludes the wait for its batch
    }
    return outcome;
}

void Trainer::forward(Position at, const Pass& pass) {
    ForwardObserver* const observer = context_.sinks.observer(at, session_.components);
    const ObservedForward observed(session_.executor, observer);
    if (!are_facts_due_) {
        return episode_.forward(at, pass);
    }
    are_facts_due_ = false;
    const ModelFacts facts(session_.executor, observer);
    episode_.forward(at, pass);
    facts.write(context_.model_file, *context_.plan, session_.components, context_.log);
}

// Shows the sinks the batch before its step.
void Trainer::look(Position at) {
    const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
    context_.sinks.tell(&Sink::look_at, at, session_.frame);
}

// Writes the row of an episode, also of one that has failed.
void Trainer::record(Position at, bool has_learned) {
    const Profiler::Timer timer(session_.profiler, Profiler::kRecords);
    context_.send_pictures();
    context_.records.episode(at, session_.statistics.values());
    context_.sinks.tell(&Sink::episode, {at, session_.statistics.values()});
    if (has_learned) {
        context_.sinks.tell(&Sink::learned, at, session_.components);
    }
}

std::optional<Trainer::EndedPass> Trainer::before_batch() {
    Boundary boundary = has_change() ? serve_requests(true) : Boundary::kContinue;
    if (boundary == Boundary::kContinue) {  // changes come before limits
        if (const Status status = between_episodes(); status != Status::kRunning) {
            return EndedPass{.status = status};
        }
        boundary = has_batch() ? serve_requests(true) : Boundary::kContinue;
    }
    switch (boundary) {
        case Boundary::kNewPass:
            return EndedPass{.end = PassEnd::kNewPass};
        case Boundary::kInterrupted:
            return EndedPass{.status = Status::kInterrupted};
        default:
            return std::nullopt;
    }
}

bool Trainer::has_change() const {
    return has_batch() && context_.live.has_change(context_.state.episodes_done);
}

bool Trainer::has_batch() const {
    return context_.state.batches_done < session_.training->batch_count();
}

bool Trainer::is_far_enough() const {
    const TrainerProgress& state = context_.state;
    const std::uint64_t done = context_.is_online() ? state.episodes_done : state.epoch;
    return (context_.stop_after > 0 && done >= context_.stop_after) ||
           (context_.stop_after_episodes > 0 &&
            state.episodes_done >= context_.stop_after_episodes &&
            state.epoch >= context_.epochs_before_stop);
}

Boundary Trainer::serve_requests(bool has_pass) {
    context_.progress.hold();
    context_.time.hold();
    const Boundary boundary = context_.live.at_boundary(*this, has_pass);
    const bool waits = context_.wait != nullptr && boundary == Boundary::kContinue && has_pass;
    const bool is_ended = waits && !context_.wait->wait(*this);
    context_.time.release();
    context_.progress.release();
    return is_ended ? Boundary::kInterrupted : boundary;
}

void Trainer::restart() {
    begin();
    context_.resume_limits();
    context_.records.restore({});
    context_.sinks.restart();
}

// Rolls back everything except the changes of the rollback itself.
void Trainer::roll_back() {
    const std::filesystem::path last = context_.checkpoints.last();
    run::check_hashes(last);
    const Optimization::RollbackState kept = session_.optimization->rollback_state();
    const Position from = context_.state.last_position();
    context_.records.finish();
    restore(last, context_.time.seconds());
    session_.optimization->set_rollback_state(kept);
    context_.note("rollback", from, Value::table({{"to_episode", context_.state.episodes_done}}));
}

// Does everything between two episodes, leaving the training in a state from which it can continue
// here.
Status Trainer::between_episodes() {
    const TrainerProgress& state = context_.state;
    const std::uint64_t done = state.episodes_done;
    const auto interval =
        static_cast<std::uint64_t>(session_.experiment.partial_validation_interval);
    const bool is_validation_due =
        interval > 0 && done > 0 && done % interval == 0 && state.partly_validated != done;
    if (is_validation_due && validate_partly() == Status::kInterrupted) {
        return Status::kInterrupted;
    }
    // This is checked after a resume, too: the checkpoint may have been written before this check.
    if (context_.is_online() && done > 0 && state.partly_validated == done &&
        context_.stop.judgement() != Status::kRunning) {
        return context_.stop.judgement();
    }
    if (session_.collective.take_signal() != 0) {
        return Status::kInterrupted;
    }
    if (is_far_enough()) {  // in each of several processes, which are at the same episode
        Signals::receive(context_.stop_after_episodes > 0 ? Signals::kReplayEnd
                                                          : Signals::kStopAfter);
        return Status::kInterrupted;
    }
    const RankNotes agreed = session_.collective.agreed();
    const Status limit = context_.stop.limit(done, agreed.seconds);
    if (limit == Status::kRunning && context_.policy.is_due(state, agreed.is_checkpoint_due)) {
        checkpointer_.save(state.status(), false);
    }
    return limit;
}

// Finishes an epoch; one that a limit ended is validated and saved like a whole one.
Status Trainer::finish_epoch(Status reason) {
    TrainerProgress& state = context_.state;
    bool is_best = false;
    if (state.batches_done > 0 && has_batch() && reason != Status::kRunning) {
        checkpointer_.save_before_limit();
    }
    if (episode_.finish() == StepOutcome::kRollback) {
        roll_back();
        return state.status();
    }
    if (state.batches_done > 0) {
        const auto epoch = validator_.measure_epoch();
        if (!epoch) {
            return Status::kInterrupted;
        }
        if (!context_.is_online()) {
            is_best = validator_.judge(epoch->record);
            reason = first_end(context_.stop.judgement(), reason);
        } else if (state.last.set.empty()) {
            state.last = epoch->record;
        }
        validator_.report(*epoch, is_best);
        if (progress_) {
            progress_->finished_epoch();
        }
        ++state.epoch;  // not if a limit was reached between two epochs
    }
    state.batches_done = 0;
    session_.statistics.reset(kTrainingSet);
    if (reason == Status::kRunning && context_.stop.is_epoch_limit(state.epoch)) {
        reason = Status::kEpochLimit;
    }
    state.set_status(context_.stop.if_not_far_off(reason));
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
    TrainerProgress& state = context_.state;
    if (!context_.is_online()) {
        return state.status();
    }
    if (state.partly_validated != state.episodes_done) {
        if (!checkpointer_.has_saved_before_limit()) {
            checkpointer_.save_before_limit();
        }
        if (validate_partly() == Status::kInterrupted) {
            return Status::kInterrupted;
        }
        state.set_status(context_.stop.if_not_far_off(state.status()));
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
