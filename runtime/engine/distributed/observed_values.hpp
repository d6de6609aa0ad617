// The streams that statistics, viewers and publishers read, of all processes: the first one runs
// these components on the whole batch, as a single process would.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The values of these streams as bytes, which the same build of libtorch can read.
at::Tensor packed_values(const Frame& frame, const std::vector<int>& streams);

// In the first process: as long as it lives, the frame holds the values of all processes, one after
// the other by their ranks; then its own again.
class WholeValues {
public:
    // `parts` are the packed values of the processes, empty of those without a sample; `counts` are
    // their numbers of samples. A number that is not of samples becomes the mean, weighted by
    // these; any other value that is not of samples is that of the first process. Throws RunError
    // (kTrainingError) where the sizes do not fit each other.
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
