// The classes of a section's samples, for a sampler that balances them.

#pragma once

#include "engine/component/instance.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// A label for each sample of the task: those that the sampler lists, or what the task writes to the
// stream that it names, integers or strings, for which every sample is fetched once, as in epoch 0
// of an evaluation. Empty if the section has no sampler that balances classes. Throws RunError.
// [main] REQUIRES: the task has that stream, as the plan's making has checked.
std::vector<std::int64_t> sample_labels(const experiment::Section& section,
                                        const pipeline::Plan& plan, Instance& task,
                                        std::uint64_t seed);

}  // namespace ptp::engine
