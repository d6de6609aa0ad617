// The trainer's checkpoints: what it saves, and how it continues from there.

#include "engine/train/trainer.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

namespace ptp::engine {

// The rows of the episodes that made the weights are on the disk before these.
void Trainer::save(Status status, bool is_best) {
    const Profiler::Timer timer(session_.profiler, Profiler::kCheckpoints);
    parts_.records.sync();
    parts_.live.sync();
    const bool is_within_epoch = batches_done_ > 0 && (last_.set.empty() || !is_online());
    const Measurement latest =
        is_within_epoch
            ? measured(session_.statistics, kTrainingSet,
                       session_.statistics.aggregate(kTrainingSet), "training", last_position())
            : last_;
    if (is_best) {
        best_saved_ = episodes_done_;
    }
    const Value record = checkpoint_record(status, latest);
    const SavedState saved = state();
    parts_.checkpoints.save(episodes_done_, is_best, [&](const std::filesystem::path& folder) {
        write_checkpoint(folder, {session_.components, session_.optimization->average()}, saved,
                         record);
    });
    parts_.status.progress(episodes_done_, epochs_begun(), training_time_.seconds(), latest, best_);
    parts_.log.debug("saved a checkpoint after {} episodes", episodes_done_);
    if (episodes_done_ > 0) {
        parts_.sinks.checkpoint({parts_.checkpoints.last(), last_position()});
    }
    saved_ = episodes_done_;
    since_save_.restart();
    if (status == Status::kRunning) {
        parts_.checkpoints.remove_before_limit();
        is_saved_before_limit_ = false;
    }
}

Value Trainer::checkpoint_record(Status status, const Measurement& latest) const {
    Value record = parts_.facts;
    const Value table = shown(latest);
    for (const Member& member : table.members()) {
        record.set(member.key, member.value);
    }
    record.set("plugins", parts_.live.plugins(episodes_done_));
    record.set("status", std::string(status_name(status)));
    return record;
}

void Trainer::save_before_limit() {
    const Profiler::Timer timer(session_.profiler, Profiler::kCheckpoints);
    parts_.records.sync();
    parts_.live.sync();
    const SavedState saved = state();
    const Value record = checkpoint_record(status_, last_);
    parts_.checkpoints.save_before_limit(best_saved_, [&](const std::filesystem::path& folder) {
        write_checkpoint(folder, {session_.components, session_.optimization->average()}, saved,
                         record);
    });
    is_saved_before_limit_ = true;
}

SavedState Trainer::state() {
    SavedState saved = save_session(session_);
    add_part(saved, "stop", stop_.save());
    add_part(saved, "records", parts_.records.save());
    add_part(saved, "sinks", parts_.sinks.save());
    SavedState own;
    own.record = Value::table({{"status", std::string(status_name(status_))},
                               {"epoch", epoch_},
                               {"batches_done", batches_done_},
                               {"episodes_done", episodes_done_},
                               {"partly_validated", partly_validated_},
                               {"best_saved", best_saved_},
                               {"journal", parts_.live.entries_seen()},
                               {"last", to_value(last_)},
                               {"best", to_value(best_)}});
    if (session_.experiment.training.terminal_conditions.wall_time.seconds > 0) {
        own.record.set("seconds", training_time_.seconds());
    }
    add_part(saved, "trainer", std::move(own));
    return saved;
}

// Whatever is wrong with a file that has its hash is said of that checkpoint.
void Trainer::restore(const std::filesystem::path& checkpoint, double seconds) {
    try {
        restore_state(checkpoint);
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        throw RunError(reason.code() == kPluginError ? kPluginError : kDataError,
                       fmt::format("cannot go on from {}: {}", checkpoint.string(), reason.what()));
    }
    training_time_.restart(std::max(seconds, saved_seconds_));
    if (const auto lost = parts_.checkpoints.resume_from(episodes_done_, best_saved_)) {
        parts_.log.warn("the best weights are lost, the next ones count as the best: {}", *lost);
        stop_.forget_best();
        best_ = {};
        best_saved_ = 0;
    }
    parts_.status.progress(episodes_done_, epochs_begun(), training_time_.seconds(), last_, best_);
}

void Trainer::restore_state(const std::filesystem::path& checkpoint) {
    const SavedState saved = read_training_state(checkpoint);
    restore_weights(checkpoint, session_.components);
    restore_session(session_, saved);
    stop_.restore(part_of(saved, "stop"));
    parts_.records.restore(part_of(saved, "records"));
    parts_.sinks.restore(part_of(saved, "sinks"));
    const Value own = part_of(saved, "trainer").record;
    const auto count = [&own](const char* key) {
        const std::int64_t value = integer_in(own, key);
        if (value < 0) {
            throw RunError(kDataError, fmt::format("'{}' is {}", key, value));
        }
        return static_cast<std::uint64_t>(value);
    };
    const auto table = [&own](const char* key) {
        const Value* value = own.find(key);
        return measured_from(value == nullptr ? Value() : *value);
    };
    const std::optional<Status> status = status_from(text_in(own, "status"));
    if (!status || *status == Status::kInterrupted) {
        throw RunError(kDataError, "'status' is " + text_in(own, "status"));
    }
    status_ = *status;
    epoch_ = count("epoch");
    batches_done_ = count("batches_done");
    saved_ = episodes_done_ = count("episodes_done");
    parts_.live.begin(count("journal"), episodes_done_);
    resume_limits();
    partly_validated_ = count("partly_validated");
    best_saved_ = count("best_saved");
    last_ = table("last");
    best_ = table("best");
    saved_seconds_ = own.find("seconds") == nullptr ? 0 : real_in(own, "seconds");
    if (batches_done_ > session_.training->batch_count()) {
        throw RunError(kDataError,
                       fmt::format("{} episodes of the epoch are done, which has {} now",
                                   batches_done_, session_.training->batch_count()));
    }
}

}  // namespace ptp::engine
