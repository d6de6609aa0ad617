// Runs one batch through the pipeline, for any purpose: the forward pass, the losses and the
// statistics; and a pass of such batches over a set. Training adds gradients and an optimizer step
// (training_episode.hpp).

#pragma once

#include "engine/component/executor.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/profiler.hpp"
#include "engine/data/pass.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "experiment/experiment.hpp"

#include <ptp/abi.h>

#include <algorithm>
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
        Collective* collective = nullptr;  // (optional) shares the batches; needs statistics
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

    [[nodiscard]] const ptp_step& facts() const { return facts_; }
    [[nodiscard]] Frame& frame() { return parts_.frame; }

private:
    Parts parts_;
    Collective alone_;  // if no other is given
    Collective& collective_;
    ptp_step facts_{};
};

// [main] A pass over a set without training: to validate, test, process or predict. The components
// are in evaluation mode, and no gradients are kept. Its parts must outlive it.
//
//   while (pass.next(at)) {
//     ...  // the frame holds the values of the batch
//   }
class SetPass {
public:
    struct Range {
        std::uint64_t epoch = 0;  // decides the order of the samples
        std::uint64_t max_batches = UINT64_MAX;
    };

    SetPass(Episode& episode, BatchSource& source, const Range& range)
        : episode_(episode),
          source_(source),
          max_batches_(range.max_batches),
          pass_(source, range.epoch, false, 0, range.max_batches) {}
    ~SetPass() { episode_.frame().clear(); }
    SetPass(const SetPass&) = delete;
    SetPass& operator=(const SetPass&) = delete;

    // Runs the next batch, which counts whatever its losses are; returns false after the last.
    // Throws RunError.
    bool next(Position at);

    [[nodiscard]] const ptp_step& facts() const { return episode_.facts(); }
    [[nodiscard]] std::uint64_t batch_count() const {  // of the pass
        return std::min(pass_.batch_count(), max_batches_);
    }
    [[nodiscard]] std::uint64_t sample_count() const {
        return source_.sample_count();
    }  // of the set
    [[nodiscard]] std::uint64_t samples_done() const { return samples_done_; }

private:
    Episode& episode_;
    BatchSource& source_;
    std::uint64_t max_batches_;
    std::uint64_t samples_done_ = 0;
    Pass pass_;
};

}  // namespace ptp::engine
