// The position and last measurements of a training: the trainer's own part of a checkpoint.

#pragma once

#include "engine/optimizer/training_position.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/stop.hpp"
#include "run/training_record.hpp"

#include <cstdint>
#include <optional>

namespace ptp::engine {

struct TrainerProgress {
    Status status = Status::kRunning;
    std::uint64_t epoch = 0;
    std::uint64_t batches_done = 0;  // in this epoch
    std::uint64_t episodes_done = 0;
    std::uint64_t partly_validated = 0;  // episodes done at the last partial validation
    std::uint64_t best_saved = 0;        // at the best checkpoint; 0: there is none
    std::uint64_t entries_seen = 0;      // in the journal
    Measurement last;
    Measurement best;
    // The seconds of training, saved only if a limit of time makes them part of the state:
    // otherwise two equal runs have equal checkpoints.
    std::optional<double> seconds;

    [[nodiscard]] Position last_position() const;  // the last completed episode
    [[nodiscard]] TrainingPosition next_position() const {
        return {episodes_done, epoch, batches_done};
    }
    [[nodiscard]] std::uint64_t epochs_begun() const { return epoch + (batches_done > 0 ? 1 : 0); }

    // The best weights are lost: the next ones count as the best.
    void forget_best() {
        best = {};
        best_saved = 0;
    }
};

// Convert to and from the record in a checkpoint. Reading throws RunError with kDataError.
run::TrainerRecord record_of(const TrainerProgress& state);
TrainerProgress trainer_progress_from(const run::TrainerRecord& record);

}  // namespace ptp::engine
