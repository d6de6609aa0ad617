#include "engine/optimizer/loss_scale.hpp"

#include <c10/core/GradMode.h>

namespace ptp::engine {

namespace {

constexpr double kScaleGrowth = 2;
constexpr double kScaleBackoff = 0.5;
constexpr std::int64_t kScaleInterval = 2000;

}  // namespace

// The scale is a power of two, so that no bit is lost.
void LossScale::unscale(const std::vector<at::Tensor>& gradients) const {
    const c10::AutoGradMode without_gradients(false);
    for (const at::Tensor& gradient : gradients) {
        gradient.mul_(1 / value_);
    }
}

void LossScale::has_stepped() {
    if (++steps_ == kScaleInterval) {
        value_ *= kScaleGrowth;
        steps_ = 0;
    }
}

void LossScale::has_overflowed() {
    value_ *= kScaleBackoff;
    steps_ = 0;
    ++overflow_count_;
}

SavedState LossScale::save() const {
    SavedState saved;
    saved.record.set("value", value_);
    saved.record.set("steps", steps_);
    saved.record.set("overflow_count", overflow_count_);
    return saved;
}

void LossScale::restore(const SavedState& saved) {
    const double value = real_in(saved.record, "value");
    const std::int64_t steps = integer_in(saved.record, "steps");
    overflow_count_ = integer_in(saved.record, "overflow_count");
    value_ = value;
    steps_ = steps;
}

}  // namespace ptp::engine
