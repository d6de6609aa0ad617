// What becomes of a batch that several processes share: which of its streams are cut up, and which
// components see the whole batch all the same.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

// The dimension of a stream that the parts of a batch follow each other in: B, or else the first
// whose size is not known before a step, as of samples that were chosen. nullopt where the stream
// is not of samples. Of a stream without a shape the first, where it has one.
std::optional<std::int64_t> dimension_of_parts(const pipeline::Plan& plan, int stream);

// Whether a process needs the whole batches of a task, to cut them up behind the transforms: where
// the task keeps state, where a size is that of the largest sample, or where a transform treats the
// batch as a whole. Else it loads no more than its share, and all of that is the same.
bool needs_whole_batches(const pipeline::Plan& plan, const Components& components,
                         const Instance& task);

// Has the frame hold this process's share of what the task and these transforms have written.
// REQUIRES: it holds the whole batch.
void cut_batch(const pipeline::Plan& plan, const Instance& task,
               const std::vector<Instance*>& transforms, Frame& frame);

// For each node whether it only looks on: a statistic, a viewer or a publisher whose streams, if it
// has any, none but others of them read. Where several processes train, the first alone runs them,
// on the whole batch.
std::vector<bool> observing_nodes(const Components& components);

// The streams that they read and no one of them writes, by their number.
std::vector<int> observed_streams(const Components& components);

}  // namespace ptp::engine
