// What the loss is multiplied by where components compute in float16, whose smallest numbers are
// too large for many gradients; gradients are divided by it before anything looks at them. As
// torch.cuda.amp.GradScaler: a scale that is too large for a step makes its gradients infinite, and
// that step is left out.

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

    // A step with gradients that are all finite: after 2000 of them in a row the scale doubles.
    void has_stepped();

    // A step that is left out: the scale is halved.
    void has_overflowed();

    // Whether a smaller scale would not help: then it is the gradients that are not finite.
    [[nodiscard]] bool is_lowest() const { return value_ <= 1; }

    // How many steps were left out.
    [[nodiscard]] std::int64_t overflow_count() const { return overflow_count_; }

    [[nodiscard]] SavedState save() const;
    // Throws RunError with kDataError for a record that is not one.
    void restore(const SavedState& saved);

private:
    double value_ = 65536;
    std::int64_t steps_ = 0;  // since the scale has changed
    std::int64_t overflow_count_ = 0;
};

}  // namespace ptp::engine
