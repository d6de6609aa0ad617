// Computes sums, means, extremes and medians of the selected positions.

#include "reduce_where.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>

#include <limits>

namespace transforms {

namespace {

// Returns a value that no other of the type exceeds in this direction.
at::Scalar extreme(at::ScalarType type, bool is_highest) {
    if (at::isFloatingType(type)) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return is_highest ? kInfinity : -kInfinity;
    }
    const auto of = [&]<class Number>(Number) {
        using Limits = std::numeric_limits<Number>;
        return at::Scalar(static_cast<int64_t>(is_highest ? Limits::max() : Limits::lowest()));
    };
    switch (type) {
        case at::kByte:
            return of(std::uint8_t{});
        case at::kChar:
            return of(std::int8_t{});
        case at::kShort:
            return of(std::int16_t{});
        case at::kInt:
            return of(std::int32_t{});
        default:
            return of(std::int64_t{});
    }
}

// Returns the index of the first of the rows' lowest or highest values, with the dimension kept.
at::Tensor place_of(const at::Tensor& inputs, const at::Tensor& counts, int64_t dim,
                    bool is_highest) {
    const at::Tensor values = inputs.detach().masked_fill(
        counts.logical_not(), extreme(inputs.scalar_type(), !is_highest));
    const at::Tensor best = is_highest ? values.amax(dim, true) : values.amin(dim, true);
    // A nan precedes all others, as in torch.
    const at::Tensor is_best = values.eq(best).logical_or(values.ne(values)).logical_and(counts);
    return is_best.to(at::kByte).argmax(dim, true);
}

// Returns the index of the median, the lower one of two.
at::Tensor place_of_median(const at::Tensor& inputs, const at::Tensor& counts,
                           const at::Tensor& count, int64_t dim) {
    const at::Tensor values = inputs.detach();
    const at::Tensor is_nan = values.ne(values).logical_and(counts);
    const at::Tensor order = std::get<1>(
        values.masked_fill(counts.logical_not(), extreme(inputs.scalar_type(), true)).sort(dim));
    // Excluded values come after counted ones, even if they are equal.
    const at::Tensor counted = counts.expand_as(values).gather(dim, order);
    const at::Tensor rank = counted.to(at::kLong).cumsum(dim);
    const at::Tensor is_middle = counted.logical_and(rank.eq((count + 1).div(2, "floor")));
    const at::Tensor middle = order.gather(dim, is_middle.to(at::kByte).argmax(dim, true));
    return at::where(is_nan.any(dim, true), is_nan.to(at::kByte).argmax(dim, true), middle);
}

}  // namespace

at::Tensor reduced_where(const at::Tensor& inputs, const at::Tensor& counts,
                         const ReductionOptions& options) {
    const int64_t dim = options.dim;
    const auto shaped = [&](const at::Tensor& kept) {
        return options.keepdim ? kept : kept.squeeze(dim);
    };
    const at::Tensor there = inputs.masked_fill(counts.logical_not(), 0);
    if (options.how == Reduction::kSum) {
        return shaped(there.sum(dim, true));
    }
    const at::Tensor count = counts.to(at::kLong).sum(dim, true);
    if (count.eq(0).any().item<bool>()) {
        throw ptp::DataError(
            "inputs has a row in which nothing counts, so that there is nothing to reduce");
    }
    switch (options.how) {
        case Reduction::kMean: {
            const at::Tensor numbers = inputs.is_floating_point() ? there : there.to(at::kFloat);
            return shaped(numbers.sum(dim, true) / count.to(numbers.scalar_type()));
        }
        case Reduction::kMedian:
            return shaped(inputs.gather(dim, place_of_median(inputs, counts, count, dim)));
        case Reduction::kArgmin:
        case Reduction::kArgmax:
            return shaped(place_of(inputs, counts, dim, options.how == Reduction::kArgmax));
        default:
            return shaped(
                inputs.gather(dim, place_of(inputs, counts, dim, options.how == Reduction::kMax)));
    }
}

}  // namespace transforms
