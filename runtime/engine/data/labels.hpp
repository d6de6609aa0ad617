// The properties of a section's samples that a sampler needs: their classes, weights or lengths.

#pragma once

#include "engine/component/instance.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The components whose streams are read for each sample.
struct SampleStreams {
    const experiment::Section& section;
    const pipeline::Plan& plan;
    Instance& task;
    const std::vector<Instance*>& stage;  // after the task, returned by per_sample_stage()
    std::uint64_t seed;
};

// Returns a label for each sample of the task: from the sampler's list, from the task, or from the
// stream that the sampler names, integers or strings written by the task or a transform after it,
// for which every sample is fetched once, as in epoch 0 of an evaluation. Empty if the section has
// no sampler that balances classes. Throws RunError, also if there is no such stream. [main]
std::vector<std::int64_t> sample_labels(const SampleStreams& from);

// Returns the length of each sample, from the stream that the sampler names, in the same way. Empty
// if the section has no sampler that groups by length. Throws RunError. [main]
std::vector<std::int64_t> sample_lengths(const SampleStreams& from);

// Returns a weight for each number of the sampler's list, or for each sample of the task if the
// sampler uses the task's: those that the task states, otherwise 1 divided by the number of samples
// of its class. Empty if the section has no sampler that draws by weights. Throws RunError. [main]
std::vector<double> sample_weights(const experiment::Section& section, Instance& task);

}  // namespace ptp::engine
