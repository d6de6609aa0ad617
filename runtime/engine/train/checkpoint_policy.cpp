// Applies the keys every_episodes, every and every_epochs of [checkpoint].

#include "engine/train/checkpoint_policy.hpp"

#include <optional>

namespace ptp::engine {

namespace {

// The default time between two checkpoints at the ends of epochs.
constexpr double kSecondsBetweenEpochs = 30;

}  // namespace

void CheckpointPolicy::saved(std::uint64_t episodes, double seconds) {
    saved_ = episodes;
    since_save_.restart();
    saved_seconds_ = seconds;
}

bool CheckpointPolicy::is_due(const TrainerProgress& state, bool is_due_by_time) const {
    if (saved_ == state.episodes_done) {
        return false;
    }
    const auto interval = static_cast<std::uint64_t>(experiment_.checkpoint.every_episodes);
    return (interval > 0 && state.episodes_done % interval == 0) || is_due_by_time;
}

bool CheckpointPolicy::is_due_by_time() const {
    const double every = experiment_.checkpoint.every.seconds;
    return every > 0 && since_save_.seconds() >= every;
}

bool CheckpointPolicy::may_wait(const TrainerProgress& state, double seconds) const {
    const std::optional<std::int64_t>& epochs = experiment_.checkpoint.every_epochs;
    if (experiment_.training.bad_loss.action == "rollback") {
        return false;
    }
    if (epochs && state.batches_done == 0) {
        return *epochs == 0 || state.epoch % static_cast<std::uint64_t>(*epochs) != 0;
    }
    return epochs.has_value() || seconds - saved_seconds_ < kSecondsBetweenEpochs;
}

}  // namespace ptp::engine
