// One batch through the pipeline, whatever for: the forward pass, the losses and the statistics.
// Training adds gradients and a step to it (training_step.hpp), a pass over a set repeats it
// (set_pass.hpp).

#pragma once

#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/profiler.hpp"
#include "engine/stats/records.hpp"
#include "engine/stats/statistics.hpp"
#include "engine/train/shared_training.hpp"
#include "experiment/experiment.hpp"

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::engine {

// [step] What it is made of must outlive it.
class Episode {
public:
    struct Parts {
        Executor& executor;
        Frame& frame;
        Statistics* statistics = nullptr;  // (optional) reads the losses, and counts
        Profiler* profiler = nullptr;      // (optional) times the statistics
        SharedTraining* shared = nullptr;  // (optional) the batches are shares; needs statistics
    };
    // Whose batches they are.
    struct Set {
        const experiment::Section& section;
        StatisticSet set = kTrainingSet;
        bool is_training = false;
    };
    struct Batch {
        std::uint64_t index = 0;  // in its pass
        std::uint64_t size = 0;   // 0: only others have samples of it
    };

    Episode(const Parts& parts, const Set& set);

    // Runs the components on the batch in the frame, but not the statistics that nothing waits for,
    // and reads the losses, which may not be numbers; of a share, also those of the others. A
    // thorough one checks all that the components write. Throws RunError.
    void forward(const Instance& task, Position at, Batch batch, bool is_thorough);
    void forward(const Instance& task, Position at, Batch batch) {
        forward(task, at, batch, batch.index == 0);
    }

    // After forward(): the batch counts in its set, and the other statistics see it. Throws
    // RunError.
    void count();

    // After forward(), on the same batch with the weights as they are by now: only what leads to
    // the losses.
    void forward_again();

    [[nodiscard]] const ptp_step& step() const { return step_; }
    [[nodiscard]] Frame& frame() { return parts_.frame; }

private:
    Parts parts_;
    ptp_step step_{};
};

}  // namespace ptp::engine
