// Tries products of one or two sizes, times a factor, plus a small constant. Three traces with
// sizes whose differences are unlike leave one formula, or none.

#include "engine/export/size_solver.hpp"

#include <algorithm>
#include <cstdlib>

namespace ptp::engine {

namespace {

constexpr std::int64_t kMaxConstant = 4;

std::optional<GraphSize> formula(std::span<const std::int64_t> values,
                                 const std::vector<std::int64_t>& products,
                                 const std::vector<std::size_t>& dimensions) {
    const std::int64_t step = products[1] - products[0];
    const std::int64_t difference = values[1] - values[0];
    if (step == 0 || difference % step != 0) {
        return std::nullopt;
    }
    const std::int64_t factor = difference / step;
    const std::int64_t constant = values[0] - factor * products[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != constant + factor * products[i]) {
            return std::nullopt;
        }
    }
    if (factor == 0 || std::abs(constant) > kMaxConstant) {
        return std::nullopt;
    }
    return GraphSize{constant, factor, dimensions};
}

}  // namespace

std::optional<GraphSize> solve_size(std::span<const std::int64_t> values,
                                    const std::vector<std::vector<std::int64_t>>& sizes) {
    if (std::ranges::all_of(values, [&](std::int64_t value) { return value == values[0]; })) {
        return GraphSize{.constant = values[0]};
    }
    std::vector<GraphSize> found;
    const std::size_t count = sizes.front().size();
    std::vector<std::int64_t> products(values.size());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t trace = 0; trace < values.size(); ++trace) {
            products[trace] = sizes[trace][i];
        }
        if (const auto size = formula(values, products, {i})) {
            found.push_back(*size);
        }
        for (std::size_t k = i; k < count; ++k) {
            for (std::size_t trace = 0; trace < values.size(); ++trace) {
                products[trace] = sizes[trace][i] * sizes[trace][k];
            }
            if (const auto size = formula(values, products, {i, k})) {
                found.push_back(*size);
            }
        }
    }
    const auto exact = std::ranges::find(found, 0, &GraphSize::constant);
    if (exact != found.end() && std::ranges::count(found, 0, &GraphSize::constant) == 1) {
        return *exact;
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

}  // namespace ptp::engine
