// The norm and the clipping of gradients, and the scale of losses in float16.

#include "engine/optimizer/gradients.hpp"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <limits>

namespace ptp::engine {

namespace {

constexpr double kScaleGrowth = 2;
constexpr double kScaleBackoff = 0.5;
constexpr std::int64_t kScaleInterval = 2000;

// Returns a scalar on the device of the first gradient.
at::Tensor norm_of(const std::vector<at::Tensor>& gradients, double order) {
    std::vector<at::Tensor> norms;
    for (const at::Tensor& gradient : gradients) {
        norms.push_back(at::linalg_vector_norm(gradient, order).to(gradients.front().options()));
    }
    return at::linalg_vector_norm(at::stack(norms), order);
}

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

std::vector<run::Key> LossScale::keys() {
    return {{"value", &value_}, {"steps", &steps_}, {"overflow_count", &overflow_count_}};
}

SavedState LossScale::save() const {
    LossScale copy = *this;
    return {run::write_keys(copy.keys()), {}};
}

void LossScale::restore(const SavedState& saved) {
    LossScale made;
    run::require_keys(saved.record, made.keys());
    *this = made;
}

std::vector<at::Tensor> gradients_of(const std::vector<NamedParameter>& parameters) {
    std::vector<at::Tensor> gradients;
    for (const NamedParameter& parameter : parameters) {
        if (parameter.tensor.grad().defined()) {
            gradients.push_back(parameter.tensor.grad());
        }
    }
    return gradients;
}

// Checks the largest magnitude, which is not finite if any element is not.
bool are_finite(const std::vector<at::Tensor>& gradients) {
    const c10::AutoGradMode without_gradients(false);
    return gradients.empty() ||
           at::isfinite(norm_of(gradients, std::numeric_limits<double>::infinity())).item<bool>();
}

void clip(const std::vector<at::Tensor>& gradients, const experiment::GradientClipping& clipping) {
    const c10::AutoGradMode without_gradients(false);
    if (gradients.empty()) {
        return;
    }
    if (!clipping.is_by_norm) {
        for (const at::Tensor& gradient : gradients) {
            gradient.clamp_(-clipping.limit, clipping.limit);
        }
        return;
    }
    const at::Tensor scale =
        norm_of(gradients, 2).add(1e-6).reciprocal().mul(clipping.limit).clamp_max(1.0);
    for (const at::Tensor& gradient : gradients) {
        gradient.mul_(scale);
    }
}

}  // namespace ptp::engine
