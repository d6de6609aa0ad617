// training.toml of a checkpoint: the state of a training except tensors, with a table for each of
// its parts. The parts define their own content (engine/train/training_state.hpp); this file has
// what is read without libtorch.

#pragma once

#include "base/value.hpp"
#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// The key of the trainer's part.
inline constexpr const char* kTrainerPart = "trainer";

// The key of the components' part: a table of { version, state } for each component that exports
// state, by name.
inline constexpr const char* kComponentsPart = "components";

// The key of the facts about the data: a table of { samples, files } for each section; missing in
// checkpoints of older runs.
inline constexpr const char* kDataPart = "data";
inline constexpr const char* kDrawableSamples = "drawable";    // of a section of the data
inline constexpr const char* kEpochSamples = "epoch_samples";  // the same

struct TrainerRecord {
    std::string status;  // "running", or why the training ended: "epoch_limit", "diverged", ...
    std::uint64_t epoch = 0;         // number of complete epochs
    std::uint64_t batches_done = 0;  // within the next epoch
    std::uint64_t episodes_done = 0;
    std::uint64_t partly_validated = 0;  // episodes done at the last partial validation
    std::uint64_t best_saved = 0;        // at the best checkpoint; 0: there is none
    std::uint64_t journal = 0;           // number of entries that have taken effect
    Measurement last;
    Measurement best;
    std::optional<double>
        seconds;  // of training; only where a limit of time makes them part of the state
};

Value value_of(const TrainerRecord& record);
// Throws RunError with kDataError for a value that is missing, has another type or is below 0.
TrainerRecord trainer_record_from(const Value& part);

// The key of the part with the rules that end a training, and of what they have counted; the last
// key marks the last loss as diverged.
inline constexpr const char* kStopPart = "stop";
inline constexpr const char* kLastLoss = "last_loss";
inline constexpr const char* kValidationsWithoutGain = "validations_without_gain";
inline constexpr const char* kFarOffInARow = "far_off_in_a_row";

// Returns the parts by their names. Throws NewerFormat, RunError as read_text() does, and RunError
// with kDataError for text that is not TOML.
Value read_training(const std::filesystem::path& checkpoint);

// Creates the file in the folder of a checkpoint that is being made. Throws RunError.
void write_training(const std::filesystem::path& checkpoint, const Value& parts);

}  // namespace ptp::run
