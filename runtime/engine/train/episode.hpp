// Runs one batch through the pipeline, for any purpose: the forward pass, the losses and the
// statistics. Training adds gradients and an optimizer step (training_step.hpp), a pass over a set
// repeats it (set_pass.hpp).

#pragma once

#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/profiler.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/shared_training.hpp"
#include "experiment/experiment.hpp"

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::engine {

// [step] Its parts must outlive it.
class Episode {
public:
    struct Parts {
        Executor& executor;
        Frame& frame;
        Statistics* statistics = nullptr;  // (optional) reads the losses, and counts
        Profiler* profiler = nullptr;      // (optional) times the statistics
        SharedTraining* shared = nullptr;  // (optional) the batches are shares; needs statistics
    };
    // The set that the batches belong to.
    struct Set {
        const experiment::Section& section;
        StatisticSet set = kTrainingSet;
        bool is_training = false;
    };
    struct Batch {
        std::uint64_t index = 0;  // in its pass
        std::uint64_t size = 0;   // 0 if only other processes have samples of it
    };

    Episode(const Parts& parts, const Set& set);

    // Runs the components on the batch in the frame, except the statistics for which nothing waits,
    // and reads the losses, which may be NaN or infinite; for a share, also those of the others. A
    // thorough one checks everything that components write. Throws RunError.
    void forward(const Instance& task, Position at, Batch batch, bool is_thorough);
    void forward(const Instance& task, Position at, Batch batch) {
        forward(task, at, batch, batch.index == 0);
    }

    // After forward(): counts the batch in its set, and runs the other statistics. Throws RunError.
    void count();

    // After forward(), on the same batch with the current weights: runs only what leads to the
    // losses.
    void forward_again();

    [[nodiscard]] const ptp_step& step() const { return step_; }
    [[nodiscard]] Frame& frame() { return parts_.frame; }

private:
    Parts parts_;
    ptp_step step_{};
};

}  // namespace ptp::engine
