// Saves a training to its checkpoints when they are due, and restores it from one with the same
// bits.

#pragma once

#include "base/stopwatch.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/checkpoint/checkpoints.hpp"
#include "engine/component/profiler.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/session.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_state.hpp"
#include "experiment/experiment.hpp"
#include "run/checkpoint_record.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

// [main] Its parts must outlive it.
class Checkpointer {
public:
    // The weights and all state that trains them; the trainer's counters are not included. All
    // throw RunError.
    struct Contents {
        // Returns everything except the weights, as save_session() does.
        std::function<SavedState()> save;
        // Returns the current weights.
        std::function<Weights(Tensors)> weights;
        // Restores the weights in the folder, and the rest of the state, which was read from it.
        std::function<void(const std::filesystem::path&, const SavedState&)> restore;
        std::function<std::uint64_t()> batches_per_epoch;
        // Returns whether the same seed has given the same bits so far.
        std::function<bool()> is_deterministic;
        // Returns what the epoch has measured so far.
        std::function<Measurement(Position)> training_epoch;
    };

    struct Parts {
        const experiment::Experiment& experiment;
        Contents contents;
        Checkpoints& checkpoints;
        Records& records;
        Sinks& sinks;
        StatusFile& status;
        spdlog::logger& log;
        const LiveHooks& live;
        run::CheckpointRecord facts;  // the facts about the run in every checkpoint
        StopRules& stop;              // saved and restored, as is the state
        TrainerState& state;
        Stopwatch& time;                   // measures the training
        Profiler* profiler = nullptr;      // (optional) times the saving
        SharedTraining* shared = nullptr;  // (optional) the first of its processes saves for all
    };

    // Returns the contents of a session, without training_epoch. The session must outlive them.
    static Contents contents_of(Session& session);

    explicit Checkpointer(Parts parts) : parts_(std::move(parts)) {}

    // The training begins or continues: starts measuring the time to the next checkpoint.
    void begin() { saved_seconds_ = seconds(); }

    // Returns whether the experiment requires a checkpoint between two episodes that is not saved
    // yet.
    [[nodiscard]] bool is_due() const;
    [[nodiscard]] bool is_due_by_time() const;

    // Throws RunError. `status` is for the record; the state has its own, with which a resume
    // continues.
    void save(Status status, bool is_best);

    // Saves a checkpoint that can wait: at the end of an epoch after which the training continues,
    // or of the best weights. It is saved if due by checkpoint.every_epochs or, by default, by the
    // time since the last one. Otherwise the best is kept in memory until one is saved: a training
    // that is killed before then repeats the lost part, with the same bits. A training that may be
    // rolled back to it always saves it, so that its results do not depend on the time. Throws
    // RunError.
    void save_or_keep(bool is_best);

    // Saves a checkpoint where a limit ends the training; it continues from there if the limit is
    // raised. Throws RunError.
    void save_before_limit();
    [[nodiscard]] bool has_saved_before_limit() const { return has_saved_before_limit_; }

    // Restores the training from the checkpoint in this folder, after N seconds of training or the
    // number in the checkpoint. `resume` is called when the state is restored. Throws RunError,
    // which names the checkpoint in any case.
    void restore(const std::filesystem::path& checkpoint, double seconds,
                 const std::function<void()>& resume);

    // Discards the best weights. Throws RunError.
    void forget_best();

private:
    [[nodiscard]] SavedState whole_state();
    [[nodiscard]] Group* group() const {
        return parts_.shared == nullptr ? nullptr : &parts_.shared->group();
    }
    [[nodiscard]] bool is_writer() const { return group() == nullptr || group()->is_first(); }
    // Returns the seconds of training; the same in all processes.
    [[nodiscard]] double seconds() const {
        return parts_.shared == nullptr ? parts_.time.seconds() : parts_.shared->agreed().seconds;
    }
    [[nodiscard]] bool may_wait() const;
    void keep_best();
    void write_kept_best();
    void in_writer(const std::function<void()>& work) const;
    void sync_records() const;
    [[nodiscard]] std::optional<std::string> resume_checkpoints() const;
    [[nodiscard]] run::CheckpointRecord record(Status status, const Measurement& latest) const;
    [[nodiscard]] Measurement latest() const;
    void restore_state(const std::filesystem::path& checkpoint,
                       const std::function<void()>& resume);

    // A best checkpoint that is not yet on the disk.
    struct Kept {
        std::uint64_t episodes = 0;
        Weights weights;  // only in the process that writes
        SavedState state;
        run::CheckpointRecord record;
    };

    const Parts parts_;
    bool was_reproducible_ = true;  // whether the restored state was
    std::uint64_t saved_ = 0;       // episodes done at the last checkpoint
    Stopwatch since_save_;          // since this process's last checkpoint
    double saved_seconds_ = 0;      // the training's time at the last checkpoint
    std::optional<Kept> kept_best_;
    bool has_saved_before_limit_ = false;
};

}  // namespace ptp::engine
