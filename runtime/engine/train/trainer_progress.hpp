// The position and last measurements of a training: the trainer's own part of a checkpoint.

#pragma once

#include "base/error.hpp"
#include "engine/optimizer/training_position.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/stop.hpp"
#include "run/training_record.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace ptp::engine {

struct TrainerProgress : run::TrainerRecord {
    TrainerProgress() { set_status(Status::kRunning); }
    // Throws RunError with kDataError for a status that no checkpoint can have.
    explicit TrainerProgress(run::TrainerRecord record) : TrainerRecord(std::move(record)) {
        const std::optional<Status> known = status_from(TrainerRecord::status);
        if (!known || *known == Status::kInterrupted) {
            throw RunError(kDataError, "'status' is " + TrainerRecord::status);
        }
    }

    [[nodiscard]] Status status() const { return *status_from(TrainerRecord::status); }
    void set_status(Status status) { TrainerRecord::status = status_name(status); }

    [[nodiscard]] Position last_position() const {  // the last completed episode
        const bool is_between_epochs = batches_done == 0 && epoch > 0;
        return {episodes_done - (episodes_done > 0 ? 1 : 0), is_between_epochs ? epoch - 1 : epoch};
    }
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

}  // namespace ptp::engine
