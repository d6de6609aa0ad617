// Parameters and losses of a step, and what happens to gradients between the backward pass and the
// step of the optimizer. Only are_finite() waits for the device, once. [main]

#pragma once

#include "engine/component/saved_state.hpp"
#include "experiment/optimization.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

struct NamedParameter {
    std::string name;  // "<component>.<parameter>"
    at::Tensor tensor;
};

struct WeightedLoss {
    at::Tensor loss;    // a scalar
    double weight = 0;  // the number of samples, or other items, that the loss counts
};

// Returns the divisor that makes a sum over this weight a mean. Nothing is divided by 0: a loss
// with the weight 0 is its sum. That sum is 0 if nothing counts, except that label smoothing
// spreads targets whose own class has the weight 0.
inline double divisor_of(double weight) {
    return weight == 0 ? 1 : weight;
}

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
    std::vector<run::Key> keys();

    double value_ = 65536;
    std::int64_t steps_ = 0;  // since the last change of the scale
    std::int64_t overflow_count_ = 0;
};

// Returns the gradients of the parameters that have one.
std::vector<at::Tensor> gradients_of(const std::vector<NamedParameter>& parameters);

bool are_finite(const std::vector<at::Tensor>& gradients);

// By value: limits every element to plus or minus the limit. By norm: scales all by the same
// factor, so that the Euclidean norm of all elements together is at most the limit (as PyTorch's
// clip_grad_norm_).
void clip(const std::vector<at::Tensor>& gradients, const experiment::GradientClipping& clipping);

}  // namespace ptp::engine
