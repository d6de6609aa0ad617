// Converts the position and the measurements of a training to their record in a checkpoint, and
// back.

#include "engine/train/trainer_progress.hpp"

#include "base/error.hpp"

#include <string>

namespace ptp::engine {

Position TrainerProgress::last_position() const {
    const bool is_between_epochs = batches_done == 0 && epoch > 0;
    return {episodes_done - (episodes_done > 0 ? 1 : 0), is_between_epochs ? epoch - 1 : epoch};
}

run::TrainerRecord record_of(const TrainerProgress& state) {
    return {.status = std::string(status_name(state.status)),
            .epoch = state.epoch,
            .batches_done = state.batches_done,
            .episodes_done = state.episodes_done,
            .partly_validated = state.partly_validated,
            .best_saved = state.best_saved,
            .journal = state.entries_seen,
            .last = saved_record_of(state.last),
            .best = saved_record_of(state.best),
            .seconds = state.seconds};
}

TrainerProgress trainer_progress_from(const run::TrainerRecord& record) {
    const std::optional<Status> status = status_from(record.status);
    if (!status || *status == Status::kInterrupted) {
        throw RunError(kDataError, "'status' is " + record.status);
    }
    return {.status = *status,
            .epoch = record.epoch,
            .batches_done = record.batches_done,
            .episodes_done = record.episodes_done,
            .partly_validated = record.partly_validated,
            .best_saved = record.best_saved,
            .entries_seen = record.journal,
            .last = measured_from(record.last),
            .best = measured_from(record.best),
            .seconds = record.seconds};
}

}  // namespace ptp::engine
