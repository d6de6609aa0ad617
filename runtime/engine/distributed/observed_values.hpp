// The streams of all processes that statistics, viewers and publishers read: the first process runs
// these components on the whole batch, as a single process would.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Returns the values of these streams as bytes, which the same build of libtorch can read.
at::Tensor packed_values(const Frame& frame, const std::vector<int>& streams);

// In the first process: while it exists, the frame holds the concatenated values of all processes,
// by rank; then its own again.
class WholeValues {
public:
    // `parts` are the packed values of the processes, empty for those without a sample; `counts`
    // are their numbers of samples. A number that does not consist of samples becomes the mean,
    // weighted by these; other such values are those of the first process. Throws RunError
    // (kTrainingError) if the sizes do not match.
    WholeValues(const pipeline::Plan& plan, const std::vector<int>& streams,
                const std::vector<at::Tensor>& parts, const std::vector<std::uint64_t>& counts,
                Frame& frame);
    ~WholeValues();
    WholeValues(const WholeValues&) = delete;
    WholeValues& operator=(const WholeValues&) = delete;

private:
    void exchange();

    const std::vector<int>& streams_;
    Frame& frame_;
    std::vector<Slot> others_;
};

}  // namespace ptp::engine
