// One episode of training: forward, statistics, backward, optimizer.

#pragma once

#include "engine/data/pass.hpp"
#include "engine/train/records.hpp"
#include "engine/train/replay.hpp"
#include "engine/train/session.hpp"

#include <ptp/abi.h>

#include <optional>
#include <span>

namespace ptp::engine {

// [main] The session must outlive it.
class TrainingStep {
public:
    explicit TrainingStep(Session& session);

    // Runs the components on the batch that the pass has just put into the session's frame. Gives a
    // value for each statistic, until the next call; a loss among them may be no number. Throws
    // RunError.
    std::span<const double> forward(Position position, const Pass& pass);

    // After forward(): computes the gradients, changes the parameters if it is time to, and clears
    // the frame. Throws RunError, also for a loss that is no number if the training is to stop
    // then.
    Learned learn();

    // The session's components are others now.
    void take_over();

    // Changes the parameters by what was added up since the last step, if anything was: where an
    // epoch ends before its last batch. Throws RunError.
    Learned finish();

private:
    void differentiate();
    void minimise_again_and_again();
    Learned change_parameters();

    Session& session_;
    std::optional<Replay> replay_;  // for LBFGS
    ptp_step step_{};
    bool is_last_batch_ = false;
};

}  // namespace ptp::engine
