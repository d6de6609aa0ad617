// The learning rate as a function of where the training is: schedule, warm-up, and what a rollback
// has taken off; and the momentum, where the schedule has one. An episode's rate does not depend on
// the ones before it. Schedule and warm-up count from the start of the training, or from where
// `resume --set` has changed them.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optim/training_position.hpp"
#include "experiment/experiment.hpp"

#include <optional>

namespace ptp::engine {

// [main]
class LearningRate {
public:
    LearningRate(const experiment::Training& training, std::uint64_t episodes_per_epoch);

    // Continues with the schedule that the experiment has now. A schedule of the type of the one
    // before, or of the one that was saved, keeps its state.
    void follow(const experiment::Training& training);
    // What the validations so far have done to it does not count any more.
    void forget_validations();
    // The schedule is new: it counts from there, and forgets the validations so far.
    void begin_schedule(const TrainingPosition& begin);
    // The warm-up is new, and counts from there.
    void begin_warm_up(const TrainingPosition& begin) { warm_up_begin_ = begin.episode; }

    // Whether it is always the base.
    [[nodiscard]] bool is_constant() const;

    // The learning rate used in an episode for parameters whose rate in the experiment is `base`.
    [[nodiscard]] double at(double base, const TrainingPosition& place) const;

    // The momentum of an episode; nullopt: what the optimizer has of its own.
    [[nodiscard]] std::optional<double> momentum(const TrainingPosition& place) const;

    // A validation by which the model is judged has given this loss.
    void validated(double loss, bool is_negated = false);

    // Multiplies all rates by a factor, from now on.
    void lower(double factor) { lowered_ *= factor; }
    [[nodiscard]] double lowered() const { return lowered_; }
    void set_lowered(double factor) { lowered_ = factor; }

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] schedule::Position position(const TrainingPosition& place) const;
    [[nodiscard]] double warm_up(std::uint64_t episode) const;
    void restore_schedule();

    std::optional<schedule::Any> schedule_;  // with its state
    std::optional<experiment::WarmUp> warm_up_;
    double episodes_per_epoch_;
    double total_episodes_;
    TrainingPosition schedule_begin_;
    std::uint64_t warm_up_begin_ = 0;  // episodes done there
    double lowered_ = 1;
    Value restored_;  // the record of restore(), until the schedule is the one that was saved
};

}  // namespace ptp::engine
