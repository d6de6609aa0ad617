// The distribution of a batch among the processes of a training: the dimension along which each
// stream is cut, the components that need the whole batch, and the cut itself. The size of each
// process's part is computed in engine/distributed/share.hpp.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

// Returns the dimension along which the parts of a batch are cut: B, or else the first whose size
// is not known before a step, such as that of selected samples; the first one, if any, of a stream
// without a shape. Returns nullopt if the stream does not consist of samples.
std::optional<std::int64_t> dimension_of_parts(const pipeline::Plan& plan, int stream);

// Returns whether a process needs the whole batches of a task and cuts them up after the
// transforms: if the task keeps state, a size is that of the largest sample, or a transform treats
// the batch as a whole. Otherwise it loads only its share, with the same results.
bool needs_whole_batches(const pipeline::Plan& plan, const Components& components,
                         const Instance& task);

// Cuts the outputs of the task and these transforms down to this process's share. The frame must
// hold the whole batch.
void cut_batch(const pipeline::Plan& plan, const Instance& task,
               const std::vector<Instance*>& transforms, Frame& frame);

// Returns for each node whether it only observes: a statistic, a viewer or a publisher whose
// streams, if any, are read by such nodes only. If several processes train, only the first runs
// these nodes, on the whole batch.
std::vector<bool> observing_nodes(const Components& components);

// Returns the numbers of the streams that the observing nodes read and none of them writes.
std::vector<int> observed_streams(const Components& components);

}  // namespace ptp::engine
