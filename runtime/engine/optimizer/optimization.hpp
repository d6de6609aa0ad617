// The optimization that [training] specifies: gradients of one or several batches, clipping, the
// optimizer's step at the scheduled learning rate, the average of the weights, and the handling of
// losses that are not finite.

#pragma once

#include "engine/distributed/collective.hpp"
#include "engine/distributed/gradient_buckets.hpp"
#include "engine/optimizer/gradient_sums.hpp"
#include "engine/optimizer/gradients.hpp"
#include "engine/optimizer/learning_rate.hpp"
#include "engine/optimizer/optimizer.hpp"
#include "engine/optimizer/optimizer_shards.hpp"
#include "engine/optimizer/weight_average.hpp"
#include "engine/optimizer/weight_watch.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// The outcome of an episode.
enum class StepOutcome {
    kApplied,   // its gradients are used, kept for a later step, or skipped by LossScale
    kSkipped,   // no weight has changed
    kRollback,  // the training must go back to its last checkpoint; see Optimization::RollbackState
};

// [main]
class Optimization {
public:
    // References that must outlive it.
    struct Dependencies {
        const experiment::Training& training;
        spdlog::logger& log;
        Collective& collective;               // the processes that share each batch
        bool rounds_gradients = false;        // to bfloat16, when sent to other processes
        bool is_sharded = false;              // each of several has part of the optimizer's state
        Profiler* const* profiler = nullptr;  // (optional) times exchanges with other processes
    };

    Optimization(const Dependencies& dependencies, std::vector<ParameterGroup> groups,
                 std::uint64_t episodes_per_epoch);

    [[nodiscard]] bool needs_closure() const { return optimizer_->needs_closure(); }
    [[nodiscard]] bool is_accumulating() const { return training_.accumulate > 1; }

    // Returns whether an episode may be refused because of its gradients.
    [[nodiscard]] bool looks_at_gradients() const {
        return training_.bad_loss.looks_at_gradients && !needs_closure();
    }

    // Before the forward pass of an episode: sets learning rate and momentum, clears old gradients.
    void begin(const TrainingPosition& position);

    // Computes the gradients of the episode: of its loss, or when accumulating, of all losses with
    // separate weights. Bad gradients are then refused here, so that they affect no other episode.
    // Each of several processes has those of its share, and the sum of all counts; one without a
    // sample has no loss, or when accumulating, losses of weight 0.
    StepOutcome backward(std::span<const WeightedLoss> losses);

    // Returns whether the optimizer's step is due; `is_last` is true for the last batch of the
    // epoch.
    [[nodiscard]] bool is_step_due(bool is_last) const;

    // Clips the gradients and updates the weights, unless the gradients are bad, or overflow in
    // float16.
    StepOutcome step();

    // Replaces backward() and step() if the optimizer needs a closure, which computes the gradients
    // of the episode anew, after the previous ones are cleared, and returns the loss. In each of
    // several processes, it returns the loss of the process's share.
    void step_with_closure(const Optimizer::Closure& closure);

    // Handles an episode whose loss or gradients, named by `what`, are not finite. Returns what to
    // do, and logs it; throws RunError if the training is to stop.
    StepOutcome refuse(const std::string& what);

    // Adds the loss of a validation that judges the model; or the value of a statistic, negated if
    // larger is better.
    void validated(double loss, bool is_negated = false) {
        learning_rate_.validated(loss, is_negated);
    }

    // Returns the names under which learning rates are recorded: "learning_rate" is the rate of
    // components without options of their own (recorded even if every component has some), and of a
    // single group; "learning_rate.COMPONENT" is the rate of a component with options of its own.
    [[nodiscard]] const std::vector<std::string>& rate_names() const { return rate_names_; }

    // Returns the rates of these names in this episode.
    [[nodiscard]] std::vector<double> learning_rates() const;

    // Replaces the experiment's rate of one group, or of all for an empty name: a name that
    // check_group() accepts.
    void set_learning_rate(double rate, const std::string& group);
    // Throws RunError (kConfigurationError) if there is no such group.
    void check_group(const std::string& group) const;

    // Follows a change of the experiment in everything that has no state: the schedule, and how
    // steps are computed.
    void follow_experiment();
    // Changes by `resume --set` besides the learning rates of the optimizer.
    struct Changed {
        TrainingPosition here;   // the next episode
        TrainingPosition begin;  // where a new schedule or warm-up begins
        bool has_schedule = false;
        bool has_warm_up = false;
    };
    // Applies the changes of the experiment since `before`: sets changed learning rates, and lets a
    // changed schedule or warm-up count from there.
    void change_from(const experiment::Training& before, const Changed& changed);

    // Ends the training: warns if it learned nothing, even if it was too short for that check.
    void end() { warn_of_standstill(true); }

    // Returns nullptr if the experiment specifies none.
    [[nodiscard]] const WeightAverage* average() const { return average_.get(); }
    // Makes evaluations use the weights themselves from now on. For a test of loaded weights, after
    // the training.
    void end_average() { average_.reset(); }

    // Returns how often an episode was skipped or rolled back, or a step skipped because its
    // gradients overflowed; "" if never.
    [[nodiscard]] std::string summary() const;

    // State that a rollback must not undo. To roll back, take rollback_state(), restore the
    // checkpoint, and pass the state to set_rollback_state().
    struct RollbackState {
        std::int64_t bad_count = 0;
        double lowered = 1;
    };
    [[nodiscard]] RollbackState rollback_state() const;
    void set_rollback_state(const RollbackState& state);

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

    // Continues from another optimization, with other tensors of the same names. State of a
    // parameter that has another shape, or is new, starts anew. Nothing was trained with this one.
    // Throws RunError, after which it must not be used.
    void rebind(const Optimization& old);

private:
    StepOutcome leave_out();
    void take_step(const Optimizer::Closure& closure = nullptr);
    void warn_of_standstill(bool is_end);
    at::Tensor sum_of_shares(const Optimizer::Closure& closure);

    const experiment::Training& training_;
    spdlog::logger& log_;
    Collective& collective_;
    std::vector<std::string> rate_names_;
    std::optional<double> plain_rate_;  // [training.optimizer]'s, if no group has it
    std::unique_ptr<Optimizer> optimizer_;
    LearningRate learning_rate_;
    std::unique_ptr<GradientSums> sums_;        // nullptr: a step for each batch
    std::unique_ptr<GradientBuckets> buckets_;  // nullptr: a single process
    std::unique_ptr<OptimizerShards> shards_;   // nullptr: each process has the whole state
    std::unique_ptr<WeightAverage> average_;
    WeightWatch watch_;
    std::optional<LossScale> loss_scale_;  // if components compute in float16
    TrainingPosition position_;
    std::int64_t bad_count_ = 0;  // skipped or rolled back
};

}  // namespace ptp::engine
