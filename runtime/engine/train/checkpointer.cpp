// The capture of a training, and the order in which its checkpoint becomes durable.
//
// A kill, or a full disk, at any moment must leave a run that can be resumed. So each thing is on
// the disk before anything that refers to it:
//   1. the rows of the episodes that produced the weights, to whose sizes a resume cuts the tables,
//      and the journal, whose number of entries is in the state (sync_records());
//   2. the best weights that were only kept in memory, for `best` must not point to nothing;
//   3. the folder of the checkpoint, which replace_folder() makes under another name, with the
//      hashes of its files, and renames as a whole (write_checkpoint());
//   4. the names `best` and `last` that point to it, each renamed as a whole; only then are older
//      folders removed (CheckpointFolder::publish());
//   5. status.json, and what the sinks tell others.
// Steps 1 to 4 are in one process. The others wait for it, and capture their states before.

#include "engine/train/checkpointer.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kWhat = "the checkpoint";

}  // namespace

void Checkpointer::save_or_keep(bool is_best) {
    if (!context_.policy.may_wait(context_.state, context_.seconds())) {
        save(context_.state.status(), is_best);
        return;
    }
    if (is_best) {
        keep_best();
    }
    report(latest());
}

void Checkpointer::save(Status status, bool is_best) {
    const Profiler::Timer timer(context_.session.profiler, Profiler::kCheckpoints);
    TrainerProgress& state = context_.state;
    CheckpointFolder& folder = context_.checkpoints;
    sync_records();
    const run::Measurement last = latest();
    is_best = is_best || (kept_best_ && kept_best_->episodes == state.episodes_done);
    if (is_best) {
        kept_best_.reset();
        state.best_saved = state.episodes_done;
    }
    write_kept_best();
    const Checkpoint checkpoint = capture(Tensors::kShared, last, status);
    in_writer([&] {
        write_checkpoint(folder.folder_of(checkpoint.episodes), checkpoint);
        folder.publish(checkpoint.episodes, is_best);
    });
    report(last);
    context_.log.debug("saved a checkpoint after " + counted(state.episodes_done, "episode"));
    if (state.episodes_done > 0) {
        context_.sinks.tell(&Sink::checkpoint, {folder.last(), state.last_position()});
    }
    context_.policy.saved(state.episodes_done, context_.seconds());
    if (status == Status::kRunning) {
        context_.session.collective.on_first([&] { folder.remove_before_limit(); });
        has_saved_before_limit_ = false;
    }
}

void Checkpointer::save_before_limit() {
    const Profiler::Timer timer(context_.session.profiler, Profiler::kCheckpoints);
    CheckpointFolder& folder = context_.checkpoints;
    sync_records();
    write_kept_best();
    const Checkpoint checkpoint =
        capture(Tensors::kShared, context_.state.last, context_.state.status());
    in_writer([&] {
        write_checkpoint(folder.before_limit_folder(), checkpoint);
        folder.publish_best_before_limit(context_.state.best_saved);
    });
    has_saved_before_limit_ = true;
}

// Keeps the checkpoint in memory. No row may be waiting at that moment: a resume cuts the tables to
// the sizes in the state.
void Checkpointer::keep_best() {
    const Profiler::Timer timer(context_.session.profiler, Profiler::kCheckpoints);
    sync_records();
    context_.state.best_saved = context_.state.episodes_done;
    kept_best_.reset();  // two at once would need twice the memory
    kept_best_ = capture(Tensors::kCopied, latest(), context_.state.status());
}

// Writes the kept checkpoint. The rows of its episodes are already on the disk.
void Checkpointer::write_kept_best() {
    if (!kept_best_) {
        return;
    }
    in_writer([this] {
        CheckpointFolder& folder = context_.checkpoints;
        write_checkpoint(folder.folder_of(kept_best_->episodes), *kept_best_);
        folder.publish_best(kept_best_->episodes);
    });
    kept_best_.reset();
}

// Does the work in the process that writes. No process continues before it is done.
void Checkpointer::in_writer(Collective::Work work) {
    context_.session.collective.in_first(kWhat, work, context_.log);
}

void Checkpointer::sync_records() {
    const auto sync = [this] {
        context_.records.sync();
        context_.live.sync();
    };
    context_.session.collective.on_others(sync);
    in_writer(sync);
}

void Checkpointer::report(const run::Measurement& latest) {
    context_.status.progress(context_.state, context_.time.seconds(), latest);
}

// Returns the last validation, or the epoch's measurement so far.
run::Measurement Checkpointer::latest() const {
    const TrainerProgress& state = context_.state;
    const bool is_within_epoch =
        state.batches_done > 0 && (state.last.set.empty() || !context_.is_online());
    return is_within_epoch
               ? measured_epoch(context_.session.statistics, state.last_position()).record
               : state.last;
}

// Every process takes part; only the one that writes needs the weights, and copies of the rest.
Checkpoint Checkpointer::capture(Tensors tensors, const run::Measurement& latest, Status status) {
    TrainingSession& session = context_.session;
    Checkpoint made;
    made.episodes = context_.state.episodes_done;
    made.record = record(status, latest);
    SavedState training = capture_state();
    session.collective.on_first([&] {
        made.training = std::move(training);
        if (tensors == Tensors::kCopied) {
            copy_tensors(made.training.tensors);
        }
        made.weights = weights_of(session.components, session.optimization->average(), tensors);
    });
    return made;
}

SavedState Checkpointer::capture_state() {
    context_.session.collective.enter(distributed::Phase::kSaving);
    SavedState saved = save_session(context_.session);
    add_part(saved, run::kStopPart, context_.stop.save());
    add_part(saved, "records", context_.records.save());
    add_part(saved, "sinks", context_.sinks.save());
    TrainerProgress& state = context_.state;
    state.journal = context_.live.entries_seen();
    state.seconds.reset();
    if (context_.session.experiment.training.terminal_conditions.wall_time.seconds > 0) {
        state.seconds = context_.time.seconds();
    }
    add_part(saved, run::kTrainerPart, {run::value_of(state), {}});
    return saved;
}

run::CheckpointRecord Checkpointer::record(Status status, const run::Measurement& latest) const {
    run::CheckpointRecord record = context_.facts;
    record.is_reproducible =
        record.is_reproducible && was_reproducible_ && !context_.session.determinism.is_any();
    record.measured = latest;
    record.plugins = context_.live.plugins(context_.state.episodes_done);
    record.status = status_name(status);
    return record;
}

// Restores the checkpoint. A problem with a file that matches its hash is reported as a problem of
// that checkpoint.
void Checkpointer::restore(const std::filesystem::path& checkpoint, double seconds) {
    TrainerProgress& state = context_.state;
    try {
        restore_state(checkpoint);
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        throw RunError(
            reason.code() == kPluginError ? kPluginError : kDataError,
            fmt::format("cannot continue from {}: {}", checkpoint.string(), reason.what()));
    }
    context_.time.restart(std::max(seconds, state.seconds.value_or(0)));
    if (const std::string lost = lost_best(); !lost.empty()) {
        context_.log.warn(
            fmt::format("the best weights are lost, the next ones count as the best: {}", lost));
        context_.stop.forget_best();
        state.forget_best();
    }
    report(state.last);
}

// All checks that may refuse the checkpoint come before the files of the run are cut back to it.
void Checkpointer::restore_state(const std::filesystem::path& checkpoint) {
    kept_best_.reset();
    TrainingSession& session = context_.session;
    const SavedState saved = read_training_state(checkpoint);
    restore_weights(checkpoint, session.components);
    restore_session(session, saved);
    context_.stop.restore(part_of(saved, run::kStopPart));
    TrainerProgress& state = context_.state;
    state = TrainerProgress(run::trainer_record_from(part_of(saved, run::kTrainerPart).record));
    const std::uint64_t batches = session.training->batch_count();
    if (state.batches_done > batches) {
        throw RunError(kDataError,
                       fmt::format("{} episodes of the epoch are done, which has {} now",
                                   state.batches_done, batches));
    }
    was_reproducible_ = run::read_checkpoint_record(checkpoint).is_reproducible;
    context_.live.check_begin(state.journal, state.episodes_done);
    context_.records.restore(part_of(saved, "records"));
    context_.sinks.restore(part_of(saved, "sinks"));
    context_.policy.restored(state.episodes_done);
    context_.live.begin(state.journal, state.episodes_done);
    context_.resume_limits();
}

// Makes the names in the folder of checkpoints those of this one. Returns what is wrong with the
// best checkpoint, in all processes; "" if nothing is.
std::string Checkpointer::lost_best() {
    std::string lost;
    in_writer([&] {
        const TrainerProgress& state = context_.state;
        lost = context_.checkpoints.resume_from(state.episodes_done, state.best_saved).value_or("");
    });
    return context_.session.collective.from_first(kWhat, [&] { return lost; });
}

void Checkpointer::forget_best() {
    kept_best_.reset();
    context_.session.collective.on_first([this] { context_.checkpoints.forget_best(); });
    context_.stop.forget_best();
    context_.state.forget_best();
}

}  // namespace ptp::engine
