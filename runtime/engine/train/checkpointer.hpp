// Saves a training to its checkpoints, and restores it from one with the same bits. When it is
// saved is decided in checkpoint_policy.hpp.

#pragma once

#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/trainer_context.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::engine {

// [main] The training must outlive it. Saving and restoring throw RunError.
class Checkpointer {
public:
    explicit Checkpointer(TrainerContext& context) : context_(context) {}

    // `status` is for the record; the state has its own, with which a resume continues.
    void save(Status status, bool is_best);

    // Saves a checkpoint that can wait, or keeps the best weights in memory until one is saved.
    void save_or_keep(bool is_best);

    // Saves a checkpoint at the point where a limit ends the training, which continues from there
    // if the limit is raised.
    void save_before_limit();
    [[nodiscard]] bool has_saved_before_limit() const { return has_saved_before_limit_; }

    // Restores the training from the checkpoint in this folder, after N seconds of training or the
    // number in the checkpoint; errors name the checkpoint.
    void restore(const std::filesystem::path& checkpoint, double seconds);

    // Discards the best weights.
    void forget_best();

private:
    [[nodiscard]] Checkpoint capture(Tensors tensors, const run::Measurement& latest,
                                     Status status);
    [[nodiscard]] SavedState capture_state();
    [[nodiscard]] run::CheckpointRecord record(Status status, const run::Measurement& latest) const;
    [[nodiscard]] run::Measurement latest() const;
    void sync_records();
    void keep_best();
    void write_kept_best();
    void in_writer(Collective::Work work);
    void report(const run::Measurement& latest);
    void restore_state(const std::filesystem::path& checkpoint);
    [[nodiscard]] std::string lost_best();

    TrainerContext& context_;
    bool was_reproducible_ = true;         // whether the restored state was
    std::optional<Checkpoint> kept_best_;  // not yet on the disk
    bool has_saved_before_limit_ = false;
};

}  // namespace ptp::engine
