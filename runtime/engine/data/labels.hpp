// What a sampler must know of a section's samples: their classes, weights or lengths.

#pragma once

#include "engine/component/instance.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Where streams of samples are read.
struct SampleStreams {
    const experiment::Section& section;
    const pipeline::Plan& plan;
    Instance& task;
    const std::vector<Instance*>& stage;  // behind it, which per_sample_stage() returns
    std::uint64_t seed;
};

// A label for each sample of the task: those that the sampler lists or that the task states, or
// what the task or a transform behind it writes to the stream that the sampler names, integers or
// strings, for which every sample is fetched once, as in epoch 0 of an evaluation. Empty if the
// section has no sampler that balances classes. Throws RunError, also if there is no such stream.
// [main]
std::vector<std::int64_t> sample_labels(const SampleStreams& from);

// The length of each sample, from the stream that the sampler names, in the same way. Empty if the
// section has no sampler that groups by length. Throws RunError. [main]
std::vector<std::int64_t> sample_lengths(const SampleStreams& from);

// A weight for each number of the sampler's list, or for each sample of the task where the sampler
// takes them from there: those that the task states, else 1 divided by the number of samples of
// its class. Empty if the section has no sampler that draws by weights. Throws RunError. [main]
std::vector<double> sample_weights(const experiment::Section& section, Instance& task);

}  // namespace ptp::engine
