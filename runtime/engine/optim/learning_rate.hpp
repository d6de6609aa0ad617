// The learning rate as a function of where the training is: scheduler, warm-up, and what a rollback
// has taken off; and the momentum, where the scheduler has one. Formulas are those of PyTorch's torch.optim.lr_scheduler, in closed form: an
// episode's rate does not depend on the ones before it.

#pragma once

#include "engine/component/saved_state.hpp"
#include "experiment/experiment.hpp"

#include "engine/optim/training_position.hpp"

#include <cstdint>
#include <limits>

namespace ptp::engine {

// [main]
class LearningRate {
public:
    LearningRate(const experiment::Training& training, std::uint64_t episodes_per_epoch);

    // Continues with the schedule that the experiment has now, from the state it has.
    void follow(const experiment::Training& training);
    // What the validations so far have done to it does not count any more.
    void forget_validations();

    // Whether it is always the base.
    [[nodiscard]] bool is_constant() const;

    // What is used in an episode by parameters that the experiment gives the rate `base`.
    [[nodiscard]] double at(double base, const TrainingPosition& place) const;

    // The momentum of an episode; nullopt: what the optimizer has of its own.
    [[nodiscard]] std::optional<double> momentum(const TrainingPosition& place) const;

    // For ReduceLROnPlateau: a validation has given this loss.
    void validated(double loss);

    // Multiplies all rates by a factor, from now on.
    void lower(double factor) { lowered_ *= factor; }
    [[nodiscard]] double lowered() const { return lowered_; }
    void set_lowered(double factor) { lowered_ = factor; }

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] double scheduled(double base, const TrainingPosition& place) const;
    [[nodiscard]] double cosine(double base, double epochs) const;
    struct Cycle {
        double start, turn, end;
    };
    [[nodiscard]] double one_cycle(const Cycle& cycle, std::uint64_t episode) const;
    [[nodiscard]] double reduced(double base) const;
    [[nodiscard]] double warm_up(std::uint64_t episode) const;

    std::optional<experiment::Scheduler> scheduler_;
    std::optional<experiment::WarmUp> warm_up_;
    double episodes_per_epoch_;
    double total_episodes_;
    double lowered_ = 1;

    // Of ReduceLROnPlateau.
    double best_loss_ = std::numeric_limits<double>::infinity();
    std::int64_t bad_validations_ = 0;
    std::int64_t cooldown_left_ = 0;
    std::int64_t reductions_ = 0;
};

}  // namespace ptp::engine
