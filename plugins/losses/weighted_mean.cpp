// Multiplies masks and weights of samples into one factor for each item, and computes the mean.

#include "weighted_mean.hpp"

#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace losses {

namespace {

// Appends dimensions of size 1: [B] -> [B, 1, 1].
at::Tensor with_dimensions(const at::Tensor& tensor, int64_t count) {
    std::vector<int64_t> sizes = tensor.sizes().vec();
    sizes.resize(static_cast<size_t>(count), 1);
    return tensor.reshape(sizes);
}

// Returns the sum of all numbers. One of half precision would be rounded, or be infinite beyond
// 65504, before it is divided.
at::Tensor total(const at::Tensor& numbers) {
    const at::ScalarType type = numbers.scalar_type();
    const bool is_half = type == at::kHalf || type == at::kBFloat16;
    return is_half ? numbers.sum(at::kFloat) : numbers.sum();
}

}  // namespace

at::Tensor factors(const CountingInputs& counting, const CountedTensor& of,
                   const at::Tensor& values) {
    const std::string like = "as " + std::string(of.name) + " has";
    const auto dimensions = static_cast<int64_t>(of.sizes.size());
    at::Tensor result;
    if (counting.masks != nullptr) {
        const at::Tensor& masks = *counting.masks;
        const auto shared = static_cast<size_t>(std::min(masks.dim(), dimensions));
        ptp::support::require_sizes("masks", masks, of.sizes.slice(0, shared), like.c_str());
        result = with_dimensions(masks, dimensions).to(values.scalar_type());
    }
    if (counting.sample_weights != nullptr) {
        const at::Tensor& weights = *counting.sample_weights;
        ptp::support::require_sizes("sample_weights", weights, of.sizes.slice(0, 1), like.c_str());
        ptp::support::require_none(weights.ge(0).logical_and(weights.isfinite()).logical_not(),
                                   "sample_weights", weights, "be in [0, inf)");
        const at::Tensor each = with_dimensions(weights, dimensions).to(values.scalar_type());
        result = result.defined() ? result * each : each;
    }
    return result;
}

at::Tensor where_counted(const at::Tensor& values, const at::Tensor& factors) {
    return factors.defined() ? values.masked_fill(factors.eq(0), 0) : values;
}

at::Tensor Mean::of(const at::Tensor& items, at::Tensor weight) {
    weight_ = std::move(weight);
    const at::Tensor divisor = weight_.masked_fill(weight_.eq(0), 1);
    const at::Tensor sum = total(items);
    return (sum / divisor.to(sum.scalar_type())).to(items.scalar_type());
}

at::Tensor Mean::of_all(const at::Tensor& items) {
    keep(items, {}, {});
    const at::ScalarType type = items.scalar_type();
    if (items.numel() == 0 || (type != at::kFloat && type != at::kDouble)) {
        return of(items,
                  at::scalar_tensor(items.numel(),
                                    items.options().dtype(at::kDouble).requires_grad(false)));
    }
    weight_.reset();
    count_ = static_cast<double>(items.numel());
    return items.mean();
}

at::Tensor Mean::of_items(const at::Tensor& items, const at::Tensor& factors) {
    if (!factors.defined()) {
        return of_all(items);
    }
    keep(items, factors, {});
    return of(items * factors, factors.expand_as(items).sum(at::kDouble));
}

at::Tensor Mean::of_weighted(const at::Tensor& items, const at::Tensor& factors,
                             const at::Tensor& weights) {
    keep(items, factors, weights);
    return factors.defined() ? of(items * factors, (factors * weights).sum(at::kDouble))
                             : of(items, weights.sum(at::kDouble));
}

void Mean::keep(const at::Tensor& items, const at::Tensor& factors, const at::Tensor& weights) {
    items_ = items.detach();
    factors_ = factors;
    weights_ = weights;
}

void Mean::collect_samples(std::uint64_t samples, std::span<double> out) const {
    const auto count = static_cast<int64_t>(samples);
    if (!items_.defined() || items_.numel() == 0 || items_.numel() % count != 0) {
        std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    if (items_.numel() == count && !factors_.defined() && !weights_.defined() && items_.is_cpu() &&
        items_.scalar_type() == at::kFloat && items_.is_contiguous()) {  // one item, as it is
        std::copy_n(items_.data_ptr<float>(), count, out.begin());
        return;
    }
    const auto sums = [&](const at::Tensor& items) {  // [B, ...] or [B * ...] -> [B]
        return items.expand(items_.sizes()).reshape({count, -1}).to(at::kDouble).sum(1);
    };
    const at::Tensor factors = factors_.defined() ? factors_ : at::ones_like(items_);
    const at::Tensor divisors = sums(weights_.defined() ? factors * weights_ : factors);
    const at::Tensor means =
        (sums(items_ * factors) / divisors)
            .masked_fill(divisors.eq(0), std::numeric_limits<double>::quiet_NaN())
            .cpu();
    std::copy_n(means.data_ptr<double>(), count, out.begin());
}

std::array<double, 1> Mean::collect() const {
    return {weight_.defined() ? weight_.item<double>() : count_};
}

}  // namespace losses
