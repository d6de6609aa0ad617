// training.toml of a checkpoint: all of a training's state that is not tensors, as a table for each
// of its parts. What a part keeps is its own affair (engine/train/training_state.hpp); what is read
// without libtorch is here.

#pragma once

#include "base/value.hpp"
#include "run/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// The part of the trainer.
inline constexpr const char* kTrainerPart = "trainer";

// The part of the components: a table of { version, state } for each that exports state, by name.
inline constexpr const char* kComponentsPart = "components";

struct TrainerRecord {
    std::string status;  // "running", or what ended the training: "epoch_limit", "diverged", ...
    std::uint64_t epoch = 0;         // that are whole
    std::uint64_t batches_done = 0;  // of the next one
    std::uint64_t episodes_done = 0;
    std::uint64_t partly_validated = 0;  // episodes done at the last partial validation
    std::uint64_t best_saved = 0;        // and at the best checkpoint; 0: there is none
    std::uint64_t journal = 0;           // entries that have taken effect
    Measurement last;                    // epochs count from 0, here and in the best
    Measurement best;
    std::optional<double>
        seconds;  // of training; only where a limit of time makes them part of the state
};

Value value_of(const TrainerRecord& record);
// Throws RunError with kDataError for what is missing, has another type or is below 0.
TrainerRecord trainer_record_from(const Value& part);

// Of the part of the rules that end a training, the value that marks the last loss as diverged.
inline constexpr const char* kStopPart = "stop";
inline constexpr const char* kFarOffInARow = "far_off_in_a_row";

// The parts, by their names. Throws NewerFormat, and RunError as read_text() does and with
// kDataError for what is not TOML.
Value read_training(const std::filesystem::path& checkpoint);

// A new file in the folder of a checkpoint that is being made. Throws RunError.
void write_training(const std::filesystem::path& checkpoint, const Value& parts);

}  // namespace ptp::run
