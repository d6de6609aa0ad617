// The arguments of the host in each call of a component: the current episode, the indices of the
// requested samples, or of the samples in the batch.
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/task.h>
#include <ptp/random.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ptp {

// The current episode; the optional last parameter of forward().
class Step {
public:
    explicit Step(const ptp_step& step) : step_(&step) {}

    bool is_training() const { return step_->is_training != 0; }
    std::uint64_t episode() const { return step_->episode; }        // of training, from 0
    std::uint64_t epoch() const { return step_->epoch; }            // from 0
    std::string_view section() const { return step_->section; }     // "test", "validation.hard"
    std::uint64_t set() const { return step_->set; }                // the set of the statistics
    std::uint64_t batch_size() const { return step_->batch_size; }  // number of samples
    // Returns the index within the pass over the set.
    std::uint64_t batch_index() const { return step_->batch_index; }

private:
    friend class LayerList;

    const ptp_step* step_;
};

// The samples that are requested from a task.
class Fetch {
public:
    explicit Fetch(const ptp_fetch& fetch) : fetch_(&fetch) {}

    std::size_t size() const { return fetch_->count; }
    std::span<const std::int64_t> indices() const { return {fetch_->indices, fetch_->count}; }
    // Returns the generator for all randomness of the sample at this place of the batch.
    Random random(std::size_t place) const { return Random(fetch_->seeds[place]); }
    bool is_training() const { return fetch_->is_training != 0; }
    std::uint64_t epoch() const { return fetch_->epoch; }

private:
    const ptp_fetch* fetch_;
};

// The samples of a batch, for a transform that processes each of them separately; the last
// parameter of its forward(), which may then run in the loader threads: it must keep no state
// between calls, and several threads may run it at once.
class Samples {
public:
    explicit Samples(const ptp_samples& samples) : samples_(&samples) {}

    std::size_t size() const { return samples_->count; }
    std::span<const std::int64_t> indices() const { return {samples_->indices, samples_->count}; }
    // Returns the generator for all randomness of the sample at this place of the batch; the draws
    // of other components and of tasks differ.
    Random random(std::size_t place) const { return Random(samples_->seeds[place]); }
    bool is_training() const { return samples_->is_training != 0; }
    std::uint64_t epoch() const { return samples_->epoch; }

private:
    const ptp_samples* samples_;
};

}  // namespace ptp
