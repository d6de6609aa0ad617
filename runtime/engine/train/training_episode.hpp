// One episode of training: forward, backward, optimizer; statistics, unless the episode is refused.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/data/pass.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/training_session.hpp"

#include <optional>
#include <vector>

namespace ptp::engine {

// [main] Repeats the forward pass of an episode as if for the first time: with the same random
// draws, and from the same buffers. For an optimizer that evaluates a batch several times. The
// session must outlive it.
class ForwardReplay {
public:
    explicit ForwardReplay(TrainingSession& session)
        : session_(session), buffers_(session.components) {}

    // Called before the first forward pass of an episode.
    void begin() { before_ = state(); }
    // Called after it: saves its generators and buffers, which are restored at the end.
    void has_run() { after_ = state(); }
    // Called before the forward pass is repeated with the current weights.
    void rewind() { restore(before_); }
    // Called after the last one: restores generators and buffers as after one forward pass.
    void end() { restore(after_); }

private:
    struct State {
        TensorsByName generators;
        std::vector<at::Tensor> buffers;
    };

    [[nodiscard]] State state() const;
    void restore(const State& state);

    TrainingSession& session_;
    Buffers buffers_;
    State before_;
    State after_;
};

// [main] The session must outlive it.
class TrainingEpisode {
public:
    explicit TrainingEpisode(TrainingSession& session);

    // Runs the components on the batch that the pass has just put into the session's frame, and
    // reads the losses, which may be NaN or infinite. Throws RunError.
    void forward(Position position, const Pass& pass);

    // After forward(): computes the gradients, unless the episode is refused for its loss. Throws
    // RunError, also for a loss that is not finite if the training is to stop then.
    void backward();

    // After backward(): updates the parameters if it is time to, and clears the frame. The
    // statistics count the episode once it can no longer be refused; a skipped one leaves no trace
    // in them nor in the components' buffers. Throws RunError.
    StepOutcome step();

    // The session's components have been replaced.
    void rebind();

    // Updates the parameters by the gradients accumulated since the last step, if any: when an
    // epoch ends before its last batch. Throws RunError.
    StepOutcome finish();

private:
    StepOutcome differentiate();
    [[nodiscard]] at::Tensor own_loss() const;
    void step_with_closure();
    StepOutcome change_parameters();

    TrainingSession& session_;
    Episode episode_;
    std::optional<ForwardReplay> replay_;  // for an optimizer with a closure
    std::optional<Buffers> buffers_;       // set if an episode may be skipped
    std::vector<at::Tensor> buffers_before_;
    bool is_last_batch_ = false;
    bool counts_late_ = false;  // when the step has been made
    bool is_refused_ = false;   // for its loss
    StepOutcome outcome_ = StepOutcome::kApplied;
};

}  // namespace ptp::engine
