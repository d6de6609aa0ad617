// The rows of a batch that several processes share, for components that need those of all.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace ptp::engine {

// The source of the rows of other processes for the call of a component; nullptr where the call has
// the whole batch.
class WholeBatch {
public:
    struct Rows {
        at::Tensor rows;          // of all samples, in their order
        std::uint64_t first = 0;  // the place of the first of this process
    };

    virtual ~WholeBatch() = default;

    // `own` has a row for each sample of this process. All processes with samples call it, in the
    // same order. The gradient of `own` is that of the sum of all processes' losses. `asker`
    // is the name of the component. [step] Throws RunError.
    virtual Rows gather(const at::Tensor& own, const std::string& asker) = 0;
};

}  // namespace ptp::engine
