// The properties of a section's samples that a sampler needs: their classes, weights or lengths.

#pragma once

#include "engine/component/instance.hpp"
#include "engine/data/sampler.hpp"
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

// Returns what the section's sampler needs of each sample. [main] Throws RunError, also if there is
// no such stream.
//
// Labels, to balance classes: from the sampler's list, from the task, or from the stream that the
// sampler names, integers or strings written by the task or a transform after it, for which every
// sample is fetched once, as in epoch 0 of an evaluation. Lengths, to group by: from a stream, in
// the same way. Weights, to draw by: a weight for each number of the sampler's list, or for each
// sample if the sampler uses the task's: those that the task states, otherwise 1 divided by the
// number of samples of its class.
SampleFacts sample_facts(const SampleStreams& from);

}  // namespace ptp::engine
