// An episode of a training with its records: its row, its components' pictures, and the live line.

#pragma once

#include "engine/data/pass.hpp"
#include "engine/output/progress.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/session.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/training_step.hpp"

#include <cstddef>
#include <optional>

namespace ptp::engine {

// [main] Its parts must outlive it.
class TrainingEpisode {
public:
    struct Parts {
        Session& session;
        Records& records;
        Sinks& sinks;
        StopRules& stop;
        Progress& progress;
        std::optional<std::size_t> shown_statistic;  // a column
    };

    explicit TrainingEpisode(const Parts& parts) : parts_(parts), step_(parts.session) {}

    // Trains on the batch that the pass has just put into the session's frame, after waiting for
    // it. Its row is always written. Throws RunError.
    StepOutcome run(Position at, const Pass& pass, double wait_seconds);

    // See TrainingStep.
    StepOutcome finish() { return step_.finish(); }
    void rebind() { step_.rebind(); }

private:
    StepOutcome train_step(Position at);
    void record(Position at);

    const Parts parts_;
    TrainingStep step_;
};

}  // namespace ptp::engine
