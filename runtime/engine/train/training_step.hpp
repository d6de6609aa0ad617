// One episode of training: forward, backward, optimizer; statistics, unless the episode is refused.

#pragma once

#include "engine/component/components.hpp"
#include "engine/data/pass.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/replay.hpp"
#include "engine/train/session.hpp"

#include <optional>
#include <vector>

namespace ptp::engine {

// [main] The session must outlive it.
class TrainingStep {
public:
    explicit TrainingStep(Session& session);

    // Runs the components on the batch that the pass has just put into the session's frame, and
    // reads the losses, which may be NaN or infinite. Throws RunError.
    void forward(Position position, const Pass& pass);

    // After forward(): computes the gradients, updates the parameters if it is time to, and clears
    // the frame. The statistics count the episode once it can no longer be refused; a skipped one
    // leaves no trace in them nor in the components' buffers. Throws RunError, also for a loss that
    // is not finite if the training is to stop then.
    StepOutcome train_step();

    // The session's components have been replaced.
    void rebind();

    // Updates the parameters by the gradients accumulated since the last step, if any: when an
    // epoch ends before its last batch. Throws RunError.
    StepOutcome finish();

private:
    StepOutcome differentiate();
    [[nodiscard]] std::vector<WeightedLoss> losses() const;
    [[nodiscard]] at::Tensor own_loss() const;
    void backward(const at::Tensor& loss) const;
    void step_with_closure();
    StepOutcome change_parameters();

    Session& session_;
    Episode episode_;
    std::optional<Replay> replay_;    // for an optimizer with a closure
    std::optional<Buffers> buffers_;  // set if an episode may be skipped
    std::vector<at::Tensor> buffers_before_;
    bool is_last_batch_ = false;
};

}  // namespace ptp::engine
