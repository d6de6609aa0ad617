// What a sampler must know of a section's samples: their classes or their weights.

#pragma once

#include "engine/component/instance.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// A label for each sample of the task: those that the sampler lists or that the task states, or
// what the task writes to the stream that the sampler names, integers or strings, for which every
// sample is fetched once, as in epoch 0 of an evaluation. Empty if the section has no sampler that
// balances classes. Throws RunError. [main]
// REQUIRES: the task has that stream, as the plan's making has checked.
std::vector<std::int64_t> sample_labels(const experiment::Section& section,
                                        const pipeline::Plan& plan, Instance& task,
                                        std::uint64_t seed);

// A weight for each number of the sampler's list, or for each sample of the task where the sampler
// takes them from there: those that the task states, else 1 divided by the number of samples of
// its class. Empty if the section has no sampler that draws by weights. Throws RunError. [main]
std::vector<double> sample_weights(const experiment::Section& section, Instance& task);

}  // namespace ptp::engine
