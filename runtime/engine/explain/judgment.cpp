// Ranks numbers, and exchanges the weights of the last layer for a while.

#include "engine/explain/judgment.hpp"

#include "engine/explain/graph.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ptp::engine {

namespace {

// The numbers must be finite: others have no order.
std::vector<double> ranks(const at::Tensor& tensor) {
    const at::Tensor numbers = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    const double* const values = numbers.data_ptr<double>();
    std::vector<std::size_t> order(static_cast<std::size_t>(numbers.numel()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(order.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
        }
        begin = end;
    }
    return ranks;
}

}  // namespace

std::optional<double> rank_correlation(const at::Tensor& first, const at::Tensor& second) {
    if (!first.isfinite().all().item<bool>() || !second.isfinite().all().item<bool>()) {
        return std::nullopt;
    }
    const std::vector<double> left = ranks(first);
    const std::vector<double> right = ranks(second);
    const double mean = (static_cast<double>(left.size()) - 1) / 2;
    double product = 0;
    double left_square = 0;
    double right_square = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        product += (left[i] - mean) * (right[i] - mean);
        left_square += (left[i] - mean) * (left[i] - mean);
        right_square += (right[i] - mean) * (right[i] - mean);
    }
    if (left_square == 0 || right_square == 0) {
        return std::nullopt;
    }
    return product / std::sqrt(left_square * right_square);
}

LastLayerDrawnAnew::LastLayerDrawnAnew(const Question& question) {
    const c10::AutoGradMode with_gradients(true);
    const at::Tensor pixels = question.model.image().detach().clone().requires_grad_();
    const at::Tensor score = question.score(question.model.scores(pixels));
    if (!score.requires_grad()) {
        return;
    }
    kept_.weights = last_layer(score, pixels);
    std::int64_t inputs = 1;
    for (const at::Tensor& weight : kept_.weights) {
        inputs = weight.dim() > 1 ? weight.numel() / weight.size(0) : inputs;
        kept_.copies.push_back(weight.detach().clone());
    }
    const c10::AutoGradMode without_gradients(false);
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    const at::Generator generator =
        at::detail::createCPUGenerator(static_cast<std::uint64_t>(question.settings.seed));
    for (at::Tensor& weight : kept_.weights) {
        const at::Tensor drawn = at::empty(weight.sizes(), at::kFloat);
        drawn.uniform_(-bound, bound, generator);
        weight.copy_(drawn);
    }
}

LastLayerDrawnAnew::Kept::~Kept() {
    const c10::AutoGradMode without_gradients(false);
    for (std::size_t i = 0; i < copies.size(); ++i) {
        weights[i].copy_(copies[i]);
    }
}

std::optional<double> dependence(const std::string& method, const Question& question,
                                 const at::Tensor& values) {
    const LastLayerDrawnAnew changed(question);
    if (!changed.is_any()) {
        return std::nullopt;
    }
    const at::Tensor first = heat_of(method, values).abs();
    const at::Tensor second = heat_of(method, attribution(method, question).values).abs();
    const at::Tensor is_shown = (first != 0).logical_or(second != 0);
    return rank_correlation(first.masked_select(is_shown), second.masked_select(is_shown));
}

}  // namespace ptp::engine
