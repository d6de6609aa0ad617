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

    // Works on the batch that the pass has just put into the session's frame, and clears the frame.
    // Gives a value for each statistic, until the next call. Throws RunError.
    std::span<const double> run(Position position, const Pass& pass);

private:
    void refuse_bad_losses() const;
    void minimise();

    Session& session_;
    ptp_step step_{};
};

}  // namespace ptp::engine
