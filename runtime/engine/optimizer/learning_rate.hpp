// The learning rate as a function of the training's position: schedule, warm-up, and reductions by
// rollbacks; and the momentum, if the schedule has one. An episode's rate does not depend on
// earlier ones. Schedule and warm-up count from the start of the training, or from their change by
// `resume --set`.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optimizer/training_position.hpp"
#include "experiment/experiment.hpp"

#include <optional>

namespace ptp::engine {

// [main]
class LearningRate {
public:
    LearningRate(const experiment::Training& training, std::uint64_t episodes_per_epoch);

    // Continues with the experiment's current schedule. A schedule of the same type as the previous
    // or the saved one keeps its state.
    void follow(const experiment::Training& training);
    // Forgets the effect of previous validations.
    void forget_validations();
    // Starts a new schedule: it counts from there, and forgets previous validations.
    void begin_schedule(const TrainingPosition& begin);
    // Starts a new warm-up, which counts from there.
    void begin_warm_up(const TrainingPosition& begin) { warm_up_begin_ = begin.episode; }

    // Returns whether it always equals the base.
    [[nodiscard]] bool is_constant() const { return !schedule_ && !warm_up_ && lowered_ == 1; }

    // Returns the rate, in the episode at `now`, of parameters whose base rate is `base`.
    [[nodiscard]] double at(double base, const TrainingPosition& now) const;

    // Returns the momentum in an episode, or nullopt for the optimizer's own.
    [[nodiscard]] std::optional<double> momentum(const TrainingPosition& now) const;

    // Adds the loss of a validation that judges the model.
    void validated(double loss, bool is_negated = false);

    // Multiplies all rates by the factor from now on.
    void lower(double factor) { lowered_ *= factor; }
    [[nodiscard]] double lowered() const { return lowered_; }
    void set_lowered(double factor) { lowered_ = factor; }

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] schedule::Position position(const TrainingPosition& asked) const;
    [[nodiscard]] double warm_up(std::uint64_t episode) const;
    void restore_schedule();

    std::optional<schedule::Any> schedule_;  // includes its state
    std::optional<experiment::WarmUp> warm_up_;
    double episodes_per_epoch_;
    double total_episodes_;
    TrainingPosition schedule_begin_;
    std::uint64_t warm_up_begin_ = 0;  // episodes done there
    double lowered_ = 1;
    Value restored_;  // the record of restore(), until its schedule is the current one
};

}  // namespace ptp::engine
