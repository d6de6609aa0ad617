// The factor of the loss if components compute in float16, whose smallest numbers are too large for
// many gradients; gradients are divided by it before any other use. As in
// torch.cuda.amp.GradScaler, a scale that is too large for a step makes its gradients infinite, and
// that step is skipped.

#pragma once

#include "engine/component/saved_state.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// [main]
class LossScale {
public:
    [[nodiscard]] double value() const { return value_; }

    [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(value_); }
    void unscale(const std::vector<at::Tensor>& gradients) const;

    // Counts a step with finite gradients: after 2000 of them in a row the scale doubles.
    void has_stepped();

    // Halves the scale after a skipped step.
    void has_overflowed();

    // Returns whether a smaller scale would not help: then the gradients themselves are not finite.
    [[nodiscard]] bool is_lowest() const { return value_ <= 1; }

    // Returns the number of skipped steps.
    [[nodiscard]] std::int64_t overflow_count() const { return overflow_count_; }

    [[nodiscard]] SavedState save() const;
    // Throws RunError with kDataError for an invalid record.
    void restore(const SavedState& saved);

private:
    double value_ = 65536;
    std::int64_t steps_ = 0;  // since the last change of the scale
    std::int64_t overflow_count_ = 0;
};

}  // namespace ptp::engine
