// One episode of training: forward, statistics, backward, optimizer.

#pragma once

#include "engine/data/pass.hpp"
#include "engine/train/records.hpp"
#include "engine/train/session.hpp"

#include <ptp/abi.h>

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

    // After forward(): refuses a loss that is no number, changes the parameters and clears the
    // frame. Throws RunError.
    void learn();

private:
    void refuse_bad_losses() const;
    void minimise();

    Session& session_;
    ptp_step step_{};
};

}  // namespace ptp::engine
