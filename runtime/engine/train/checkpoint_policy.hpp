// Decides when a training is saved, by the keys every_episodes, every and every_epochs of
// [checkpoint].

#pragma once

#include "base/stopwatch.hpp"
#include "engine/train/trainer_progress.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <optional>

namespace ptp::engine {

// [main] Moments are seconds of training, the same in all processes. The experiment must outlive
// it.
class CheckpointPolicy {
public:
    explicit CheckpointPolicy(const experiment::Experiment& experiment) : experiment_(experiment) {}

    // The training begins or continues: the time to the next checkpoint counts from here.
    void begin(double seconds) { saved_seconds_ = seconds; }
    // A checkpoint after N episodes was read, or written.
    void restored(std::uint64_t episodes) { saved_ = episodes; }
    void saved(std::uint64_t episodes, double seconds) {
        saved_ = episodes;
        since_save_.restart();
        saved_seconds_ = seconds;
    }

    // Returns whether the experiment requires a checkpoint now, between two episodes, that is not
    // saved yet. `is_due_by_time` is what all processes have agreed on.
    [[nodiscard]] bool is_due(const TrainerProgress& state, bool is_due_by_time) const {
        const auto interval = static_cast<std::uint64_t>(experiment_.checkpoint.every_episodes);
        const bool is_at_interval = interval > 0 && state.episodes_done % interval == 0;
        return saved_ != state.episodes_done && (is_at_interval || is_due_by_time);
    }
    // Returns whether it requires one by this process's clock.
    [[nodiscard]] bool is_due_by_time() const {
        const double every = experiment_.checkpoint.every.seconds;
        return every > 0 && since_save_.seconds() >= every;
    }

    // Returns whether a checkpoint at the end of an epoch after which the training continues, or of
    // the best weights, can wait: one is saved if due by checkpoint.every_epochs or, by default, if
    // it is the run's first, or by the time since the last one. A training that is killed before
    // then repeats the lost part, with the same bits. A training that may be rolled back always
    // saves it, so that its results do not depend on the time.
    [[nodiscard]] bool may_wait(const TrainerProgress& state, double seconds) const {
        const std::optional<std::int64_t>& epochs = experiment_.checkpoint.every_epochs;
        if (experiment_.training.bad_loss.action == "rollback") {
            return false;
        }
        if (epochs && state.batches_done == 0) {
            return *epochs == 0 || state.epoch % static_cast<std::uint64_t>(*epochs) != 0;
        }
        const bool is_recent = saved_ > 0 && seconds - saved_seconds_ < kSecondsBetweenEpochs;
        return epochs.has_value() || is_recent;
    }

private:
    // The default time between two checkpoints at the ends of epochs.
    static constexpr double kSecondsBetweenEpochs = 30;

    const experiment::Experiment& experiment_;
    std::uint64_t saved_ = 0;   // episodes done at the last checkpoint
    Stopwatch since_save_;      // since this process's last checkpoint
    double saved_seconds_ = 0;  // the training's time at the last checkpoint
};

}  // namespace ptp::engine
