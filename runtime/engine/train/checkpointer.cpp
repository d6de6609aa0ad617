#include "engine/train/checkpointer.hpp"

#include "base/counted.hpp"
#include "base/error.hpp"
#include "engine/distributed/long_work.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

// The default time between two checkpoints at the ends of epochs.
constexpr double kSecondsBetweenEpochs = 30;

}  // namespace

Checkpointer::Contents Checkpointer::contents_of(Session& session) {
    Contents contents;
    contents.save = [&session] {
        if (session.rank_state != nullptr) {
            session.rank_state->enter(distributed::Phase::kSaving);
        }
        return save_session(session);
    };
    contents.weights = [&session](Tensors tensors) {
        return weights_of(session.components, session.optimization->average(), tensors);
    };
    contents.restore = [&session](const std::filesystem::path& folder, const SavedState& saved) {
        restore_weights(folder, session.components);
        restore_session(session, saved);
    };
    contents.batches_per_epoch = [&session] { return session.training->batch_count(); };
    contents.is_deterministic = [&session] { return !session.determinism.is_any(); };
    return contents;
}

bool Checkpointer::is_due() const {
    const bool by_time =
        parts_.shared == nullptr ? is_due_by_time() : parts_.shared->agreed().is_checkpoint_due;
    if (saved_ == parts_.state.episodes_done) {
        return false;
    }
    const auto interval = static_cast<std::uint64_t>(parts_.experiment.checkpoint.every_episodes);
    return (interval > 0 && parts_.state.episodes_done % interval == 0) || by_time;
}

bool Checkpointer::is_due_by_time() const {
    const experiment::Checkpointing& when = parts_.experiment.checkpoint;
    return when.every.seconds > 0 && since_save_.seconds() >= when.every.seconds;
}

bool Checkpointer::may_wait() const {
    const experiment::Experiment& experiment = parts_.experiment;
    const TrainerState& state = parts_.state;
    const std::optional<std::int64_t>& epochs = experiment.checkpoint.every_epochs;
    if (experiment.training.bad_loss.action == "rollback") {
        return false;
    }
    if (epochs && state.batches_done == 0) {
        return *epochs == 0 || state.epoch % static_cast<std::uint64_t>(*epochs) != 0;
    }
    return epochs.has_value() || seconds() - saved_seconds_ < kSecondsBetweenEpochs;
}

void Checkpointer::save_or_keep(bool is_best) {
    if (!may_wait()) {
        save(parts_.state.status, is_best);
        return;
    }
    if (is_best) {
        keep_best();
    }
    parts_.status.progress(parts_.state.episodes_done, parts_.state.epochs_begun(),
                           parts_.time.seconds(), latest(), parts_.state.best);
}

// Keeps the checkpoint in memory. No row may be waiting at that moment: a resume cuts the tables to
// the sizes in the state.
void Checkpointer::keep_best() {
    const Profiler::Timer timer(parts_.profiler, Profiler::kCheckpoints);
    sync_records();
    TrainerState& state = parts_.state;
    state.best_saved = state.episodes_done;
    kept_best_.reset();  // two at once would need twice the memory
    Kept kept = {state.episodes_done, {}, whole_state(), record(state.status, latest())};
    if (is_writer()) {
        copy_tensors(kept.state.tensors);
        kept.weights = parts_.contents.weights(Tensors::kCopied);
    } else {
        kept.state = {};
    }
    kept_best_ = std::move(kept);
}

// Writes the kept checkpoint. The rows of its episodes are already on the disk.
void Checkpointer::write_kept_best() {
    if (!kept_best_) {
        return;
    }
    in_writer([this] {
        parts_.checkpoints.save_best(kept_best_->episodes,
                                     [this](const std::filesystem::path& folder) {
                                         write_checkpoint(folder, kept_best_->weights,
                                                          kept_best_->state, kept_best_->record);
                                     });
    });
    kept_best_.reset();
}

// Does the work in the process that writes. No process continues before it is done.
void Checkpointer::in_writer(const std::function<void()>& work) const {
    if (Group* const group = this->group()) {
        Patience patience = Patience::of(*group);
        patience.warn = [&log = parts_.log](const std::string& text) { log.warn(text); };
        work_in_first(*group, "the checkpoint", work, patience);
    } else {
        work();
    }
}

void Checkpointer::sync_records() const {
    const auto sync = [this] {
        parts_.records.sync();
        parts_.live.sync();
    };
    if (!is_writer()) {
        sync();
    }
    in_writer(sync);
}

// Returns the last validation, or the epoch's measurement so far.
Measurement Checkpointer::latest() const {
    const TrainerState& state = parts_.state;
    const bool is_online = parts_.experiment.training.worker == experiment::Worker::kOnline;
    const bool is_within_epoch = state.batches_done > 0 && (state.last.set.empty() || !is_online);
    return is_within_epoch ? parts_.contents.training_epoch(state.last_position()) : state.last;
}

// Saves a checkpoint after the rows of the episodes that produced the weights are on the disk.
void Checkpointer::save(Status status, bool is_best) {
    const Profiler::Timer timer(parts_.profiler, Profiler::kCheckpoints);
    TrainerState& state = parts_.state;
    sync_records();
    const Measurement last = latest();
    is_best = is_best || (kept_best_ && kept_best_->episodes == state.episodes_done);
    if (is_best) {
        kept_best_.reset();
        state.best_saved = state.episodes_done;
    }
    write_kept_best();
    const run::CheckpointRecord now = record(status, last);
    const SavedState saved = whole_state();
    in_writer([&] {
        parts_.checkpoints.save(
            state.episodes_done, is_best, [&](const std::filesystem::path& folder) {
                write_checkpoint(folder, parts_.contents.weights(Tensors::kShared), saved, now);
            });
    });
    parts_.status.progress(state.episodes_done, state.epochs_begun(), parts_.time.seconds(), last,
                           state.best);
    parts_.log.debug("saved a checkpoint after " + counted(state.episodes_done, "episode"));
    if (state.episodes_done > 0) {
        parts_.sinks.checkpoint({parts_.checkpoints.last(), state.last_position()});
    }
    saved_ = state.episodes_done;
    since_save_.restart();
    saved_seconds_ = seconds();
    if (status == Status::kRunning) {
        if (is_writer()) {
            parts_.checkpoints.remove_before_limit();
        }
        has_saved_before_limit_ = false;
    }
}

void Checkpointer::save_before_limit() {
    const Profiler::Timer timer(parts_.profiler, Profiler::kCheckpoints);
    sync_records();
    write_kept_best();
    const SavedState saved = whole_state();
    const run::CheckpointRecord now = record(parts_.state.status, parts_.state.last);
    in_writer([&] {
        parts_.checkpoints.save_before_limit(
            parts_.state.best_saved, [&](const std::filesystem::path& folder) {
                write_checkpoint(folder, parts_.contents.weights(Tensors::kShared), saved, now);
            });
    });
    has_saved_before_limit_ = true;
}

run::CheckpointRecord Checkpointer::record(Status status, const Measurement& latest) const {
    run::CheckpointRecord record = parts_.facts;
    record.is_reproducible =
        record.is_reproducible && was_reproducible_ && parts_.contents.is_deterministic();
    record.measured = record_of(latest);
    record.plugins = parts_.live.plugins(parts_.state.episodes_done);
    record.status = status_name(status);
    return record;
}

SavedState Checkpointer::whole_state() {
    SavedState saved = parts_.contents.save();
    add_part(saved, run::kStopPart, parts_.stop.save());
    add_part(saved, "records", parts_.records.save());
    add_part(saved, "sinks", parts_.sinks.save());
    TrainerState& state = parts_.state;
    state.entries_seen = parts_.live.entries_seen();
    state.seconds.reset();
    if (parts_.experiment.training.terminal_conditions.wall_time.seconds > 0) {
        state.seconds = parts_.time.seconds();
    }
    add_part(saved, run::kTrainerPart, {run::value_of(record_of(state)), {}});
    return saved;
}

// Restores the checkpoint. A problem with a file that matches its hash is reported as a problem of
// that checkpoint.
void Checkpointer::restore(const std::filesystem::path& checkpoint, double seconds,
                           const std::function<void()>& resume) {
    TrainerState& state = parts_.state;
    try {
        restore_state(checkpoint, resume);
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        throw RunError(
            reason.code() == kPluginError ? kPluginError : kDataError,
            fmt::format("cannot continue from {}: {}", checkpoint.string(), reason.what()));
    }
    parts_.time.restart(std::max(seconds, state.seconds.value_or(0)));
    if (const auto lost = resume_checkpoints()) {
        parts_.log.warn(
            fmt::format("the best weights are lost, the next ones count as the best: {}", *lost));
        parts_.stop.forget_best();
        state.forget_best();
    }
    parts_.status.progress(state.episodes_done, state.epochs_begun(), parts_.time.seconds(),
                           state.last, state.best);
}

// Returns what became of the best checkpoint, in all processes.
std::optional<std::string> Checkpointer::resume_checkpoints() const {
    std::optional<std::string> lost;
    in_writer([&] {
        lost = parts_.checkpoints.resume_from(parts_.state.episodes_done, parts_.state.best_saved);
    });
    if (Group* const group = this->group()) {
        const std::string shared = group->share(lost.value_or(""), "the checkpoint");
        lost = shared.empty() ? std::nullopt : std::optional(shared);
    }
    return lost;
}

void Checkpointer::restore_state(const std::filesystem::path& checkpoint,
                                 const std::function<void()>& resume) {
    kept_best_.reset();
    const SavedState saved = read_training_state(checkpoint);
    parts_.contents.restore(checkpoint, saved);
    parts_.stop.restore(part_of(saved, run::kStopPart));
    parts_.records.restore(part_of(saved, "records"));
    parts_.sinks.restore(part_of(saved, "sinks"));
    parts_.state =
        trainer_state_from(run::trainer_record_from(part_of(saved, run::kTrainerPart).record));
    saved_ = parts_.state.episodes_done;
    was_reproducible_ = run::read_checkpoint_record(checkpoint).is_reproducible;
    resume();
    const std::uint64_t batches = parts_.contents.batches_per_epoch();
    if (parts_.state.batches_done > batches) {
        throw RunError(kDataError,
                       fmt::format("{} episodes of the epoch are done, which has {} now",
                                   parts_.state.batches_done, batches));
    }
}

void Checkpointer::forget_best() {
    kept_best_.reset();
    if (is_writer()) {
        parts_.checkpoints.forget_best();
    }
    parts_.stop.forget_best();
    parts_.state.forget_best();
}

}  // namespace ptp::engine
