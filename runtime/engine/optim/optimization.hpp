// The optimization that [training] specifies: gradients of one or
// several batches, clipping, the optimizer's step at the scheduled learning rate, the average of
// the weights, and what follows a loss that is not a number.

#pragma once

#include "engine/distributed/gradient_buckets.hpp"
#include "engine/distributed/group.hpp"
#include "engine/optim/gradient_sums.hpp"
#include "engine/optim/learning_rate.hpp"
#include "engine/optim/loss_scale.hpp"
#include "engine/optim/optimizer.hpp"
#include "engine/optim/optimizer_shards.hpp"
#include "engine/optim/weight_average.hpp"
#include "engine/optim/weight_watch.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// What became of an episode.
enum class StepOutcome {
    kApplied,  // its gradients are used, kept for a later step, or left out as loss_scale.hpp has it
    kSkipped,   // it has changed no weight
    kRollback,  // the training must go back to its last checkpoint; see Optimization::RollbackState
};

// [main]
class Optimization {
public:
    // What must outlive it.
    struct Dependencies {
        const experiment::Training& training;
        spdlog::logger& log;
        Group* group = nullptr;         // (optional) the processes that share each batch
        bool rounds_gradients = false;  // to bfloat16, where they are sent to other processes
        bool is_sharded = false;        // each process has the optimizer's state of some parameters
        InBackwardPass in_backward_pass = run_alone;
        Profiler* const* profiler = nullptr;  // (optional) times what is sent to other processes
    };

    Optimization(const Dependencies& dependencies, std::vector<ParameterGroup> groups,
                 std::uint64_t episodes_per_epoch);

    [[nodiscard]] bool needs_closure() const { return optimizer_->needs_closure(); }
    [[nodiscard]] bool is_accumulating() const { return training_.accumulate > 1; }

    // Whether an episode may be refused for its gradients.
    [[nodiscard]] bool looks_at_gradients() const {
        return training_.bad_loss.looks_at_gradients && !needs_closure();
    }

    // Before the forward pass of an episode: sets learning rate and momentum, forgets old
    // gradients.
    void begin(const TrainingPosition& place);

    // Computes the gradients of the episode: of the one loss, or when accumulating of all that
    // weigh apart. Then bad ones are refused here, so that they spoil no other episode. Of several
    // processes, each has those of its share, and the sum of all counts; one without a sample has
    // no loss, or when accumulating losses that weigh nothing.
    StepOutcome backward(std::span<const WeightedLoss> losses);

    // Whether the optimizer's step is due: `is_last` is true for the last batch of the epoch.
    [[nodiscard]] bool is_step_due(bool is_last) const;

    // Clips the gradients and changes the weights, unless the gradients are bad, or overflow in
    // float16.
    StepOutcome step();

    // Where the optimizer needs a closure, in place of backward() and step(): it computes the
    // gradients of the episode anew, after the ones before are forgotten, and returns the loss.
    // Of several processes, the closure returns the loss of this one's share.
    void step_with_closure(const std::function<at::Tensor()>& closure);

    // The episode's loss, or its gradients, are not finite numbers: `what` names them. Returns what
    // to do, and logs it; throws RunError where the training is to stop.
    StepOutcome refuse(const std::string& what);

    // A validation by which the model is judged has given this loss; or this value of a statistic,
    // negated where larger is better.
    void validated(double loss, bool is_negated = false) {
        learning_rate_.validated(loss, is_negated);
    }

    // What the learning rates are recorded as: "learning_rate" is the rate of components without
    // options of their own (recorded even if no component is without), and of a single group;
    // "learning_rate.COMPONENT" is the rate of a component with options of its own.
    [[nodiscard]] const std::vector<std::string>& rate_names() const { return rate_names_; }

    // Under these names, in this episode.
    [[nodiscard]] std::vector<double> learning_rates() const;

    // In place of the experiment's, of one group or of all for an empty name. REQUIRES:
    // check_group().
    void set_learning_rate(double rate, const std::string& group);
    // Throws RunError (kConfigurationError) if there is no such group.
    void check_group(const std::string& group) const;

    // Takes what has no state from the experiment, which has changed since: the schedule, and how
    // steps are computed.
    void follow_experiment();
    // What `resume --set` has changed besides the learning rates of the optimizer.
    struct Changed {
        TrainingPosition here;   // the episode that comes next
        TrainingPosition begin;  // from where a schedule and a warm-up that are new count
        bool has_schedule = false;
        bool has_warm_up = false;
    };
    // The experiment was `before` until now: learning rates that it has changed are set, and a
    // schedule or a warm-up that has changed counts from there.
    void change_from(const experiment::Training& before, const Changed& changed);

    // The training is at its end: warns if it was too short for that and nothing was learned.
    void end() { warn_of_standstill(true); }

    // nullptr if the experiment asks for none.
    [[nodiscard]] const WeightAverage* average() const { return average_.get(); }
    // From now on the weights are evaluated as they are. For a test of loaded weights, after the
    // training.
    void end_average() { average_.reset(); }

    // How often an episode was skipped or rolled back, or a step left out because its gradients
    // overflowed, in words; "" if never.
    [[nodiscard]] std::string summary() const;

    // What a rollback must not undo. To go back: take setback(), restore the checkpoint, and hand
    // it to keep().
    struct RollbackState {
        std::int64_t bad_count = 0;
        double lowered = 1;
    };
    [[nodiscard]] RollbackState setback() const;
    void keep(const RollbackState& setback);

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

    // Continues where another one is, with other tensors of the same names. What is known of a
    // parameter that has another shape now, or is new, begins anew. REQUIRES: nothing was trained
    // with this one. Throws RunError, and then it is not to be used.
    void rebind(const Optimization& old);

private:
    StepOutcome leave_out();
    void take_step(const Optimizer::Closure& closure = nullptr);
    void warn_of_standstill(bool is_end);
    at::Tensor sum_of_shares(const std::function<at::Tensor()>& closure);

    const experiment::Training& training_;
    spdlog::logger& log_;
    Group* group_;
    InBackwardPass in_backward_pass_;
    std::vector<std::string> rate_names_;
    std::optional<double> plain_rate_;  // [training.optimizer]'s, where no group has it
    std::unique_ptr<Optimizer> optimizer_;
    LearningRate learning_rate_;
    std::unique_ptr<GradientSums> sums_;        // nullptr: each batch has its step
    std::unique_ptr<GradientBuckets> buckets_;  // nullptr: there is one process
    std::unique_ptr<OptimizerShards> shards_;   // nullptr: each process has all of the state
    std::unique_ptr<WeightAverage> average_;
    WeightWatch watch_;
    std::optional<LossScale> loss_scale_;  // where components compute in float16
    TrainingPosition place_;
    std::int64_t bad_count_ = 0;  // skipped or rolled back
};

}  // namespace ptp::engine
