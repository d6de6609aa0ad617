// A pass over a set without training: to validate, test, process or predict.

#pragma once

#include "engine/data/pass.hpp"
#include "engine/train/episode.hpp"

#include <cstdint>

namespace ptp::engine {

// [main] The components are in evaluation mode, and no gradients are kept. Its parts must outlive
// it.
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

    [[nodiscard]] const ptp_step& step() const { return episode_.step(); }
    [[nodiscard]] std::uint64_t batch_count() const;   // of the pass
    [[nodiscard]] std::uint64_t sample_count() const;  // of the set
    [[nodiscard]] std::uint64_t samples_done() const { return samples_done_; }

private:
    Episode& episode_;
    BatchSource& source_;
    std::uint64_t max_batches_;
    std::uint64_t samples_done_ = 0;
    Pass pass_;
};

}  // namespace ptp::engine
