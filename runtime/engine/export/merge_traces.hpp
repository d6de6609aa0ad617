// Makes one graph of traces with inputs of different sizes: what differs between them follows from
// the sizes, or is refused.

#pragma once

#include "engine/export/traced_graph.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The traces have the sizes of the rows of `sizes`, in the order of `dimensions`. The graph's data
// are those of the first trace, which must outlive it. Throws ExportError for the component whose
// code does other things for other sizes, or has a number in it that does not follow from them.
ForwardGraph merge_traces(const std::vector<TracedGraph>& traces,
                          const std::vector<DynamicSize>& dimensions,
                          const std::vector<std::vector<std::int64_t>>& sizes);

}  // namespace ptp::engine
