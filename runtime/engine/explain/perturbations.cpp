// Methods that change the image and look at the score: occlusion (Zeiler, Fergus: Visualizing and
// Understanding Convolutional Networks, 2014) and meaningful perturbation (Fong, Vedaldi:
// Interpretable Explanations of Black Boxes by Meaningful Perturbation, 2017).

#include "engine/explain/methods.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ptp::engine {

namespace {

constexpr std::int64_t kWindows = 8;  // along the shorter side

// The window begins at 0 and moves by the stride until all is covered; the last one may be cut off.
std::vector<std::int64_t> begins(std::int64_t size, std::int64_t window, std::int64_t stride) {
    std::vector<std::int64_t> all = {0};
    while (all.back() + window < size) {
        all.push_back(all.back() + stride);
    }
    return all;
}

[[noreturn]] void refuse_option(const std::string& reason, const std::string& fix) {
    throw WithFix<RunError>(kConfigurationError, Explanation{reason, fix});
}

// Constants of meaningful perturbation.
constexpr std::int64_t kIterations = 200;
constexpr std::int64_t kCoarse = 4;   // pixels of the image for one of the mask
constexpr double kRate = 0.1;         // of Adam
constexpr double kDeleted = 0.1;      // times the mean of what is deleted
constexpr double kRough = 0.2;        // times the total variation
constexpr double kPower = 3;          // of the differences in it
constexpr double kBlur = 10.0 / 224;  // the deviation of the blur for each pixel of the image

// [1, C, H, W], each channel by itself, the border repeated.
at::Tensor blurred(const at::Tensor& image) {
    const double sigma =
        std::max(1.0, kBlur * static_cast<double>(std::min(image.size(2), image.size(3))));
    const auto radius = static_cast<std::int64_t>(std::ceil(2 * sigma));
    const at::Tensor offsets = at::arange(-radius, radius + 1, image.options());
    at::Tensor kernel = at::exp(-offsets.square() / (2 * sigma * sigma));
    kernel = kernel / kernel.sum();
    const at::Tensor channels = image.transpose(0, 1);  // [C, 1, H, W]
    const at::Tensor padded = at::replication_pad2d(
        channels, std::array<std::int64_t, 4>{radius, radius, radius, radius});
    const at::Tensor rows = at::conv2d(padded, kernel.view({1, 1, 1, -1}));
    return at::conv2d(rows, kernel.view({1, 1, -1, 1})).transpose(0, 1);
}

at::Tensor total_variation(const at::Tensor& mask) {
    const auto part = [&](std::int64_t dim) {
        const std::int64_t size = mask.size(dim);
        return size < 2 ? at::zeros({}, mask.options())
                        : (mask.narrow(dim, 1, size - 1) - mask.narrow(dim, 0, size - 1))
                              .abs()
                              .pow(kPower)
                              .mean();
    };
    return part(2) + part(3);
}

// Adam of one tensor, with its usual constants.
class Adam {
public:
    explicit Adam(const at::Tensor& weights)
        : mean_(at::zeros_like(weights)), square_(at::zeros_like(weights)) {}

    void step(at::Tensor& weights, const at::Tensor& gradient) {
        constexpr double kMeanDecay = 0.9;
        constexpr double kSquareDecay = 0.999;
        constexpr double kEpsilon = 1e-8;
        ++steps_;
        mean_.mul_(kMeanDecay).add_(gradient, 1 - kMeanDecay);
        square_.mul_(kSquareDecay).addcmul_(gradient, gradient, 1 - kSquareDecay);
        const double mean_scale = 1 - std::pow(kMeanDecay, steps_);
        const double square_scale = 1 - std::pow(kSquareDecay, steps_);
        weights.addcdiv_(mean_, square_.div(square_scale).sqrt_().add_(kEpsilon),
                         -kRate / mean_scale);
    }

private:
    at::Tensor mean_;
    at::Tensor square_;
    double steps_ = 0;
};

}  // namespace

Attribution occlusion(const Question& question) {
    const experiment::Explanations& settings = question.settings;
    const at::Tensor& image = question.model.image();
    const std::int64_t height = image.size(2);
    const std::int64_t width = image.size(3);
    const std::int64_t side = std::min(height, width);
    const std::int64_t usual = std::max<std::int64_t>(side / kWindows, 1);
    const std::int64_t window = settings.window.value_or(usual);
    const std::int64_t stride =
        settings.stride.value_or(settings.is_captum() ? 1 : std::max<std::int64_t>(window / 2, 1));
    if (window > side) {
        refuse_option(
            fmt::format("--window {}: the image has {} x {} pixels", window, height, width),
            fmt::format("--window {}", usual));
    }
    if (stride > window) {
        refuse_option(
            fmt::format("--stride {}: no window of {} would cover what is between", stride, window),
            fmt::format("--stride {}", window));
    }
    const double whole = scores_of(question, image).item<double>();
    at::Tensor total = at::zeros({height, width}, at::kDouble);
    at::Tensor covers = at::zeros({height, width}, at::kDouble);
    std::vector<std::array<std::int64_t, 4>> places;  // top, left, height, width
    for (const std::int64_t top : begins(height, window, stride)) {
        for (const std::int64_t left : begins(width, window, stride)) {
            places.push_back(
                {top, left, std::min(window, height - top), std::min(window, width - left)});
        }
    }
    const auto cut = [](const at::Tensor& tensor, const std::array<std::int64_t, 4>& place) {
        return tensor.narrow(-2, place[0], place[2]).narrow(-1, place[1], place[3]);
    };
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(settings.at_once, 1));
    for (std::size_t first = 0; first < places.size(); first += most) {
        const std::size_t count = std::min(most, places.size() - first);
        std::vector<at::Tensor> covered;
        for (std::size_t i = 0; i < count; ++i) {
            covered.push_back(image.clone());
            cut(covered.back(), places[first + i]).fill_(settings.baseline);
        }
        const at::Tensor scores = scores_of(question, at::cat(covered)).to(at::kCPU, at::kDouble);
        for (std::size_t i = 0; i < count; ++i) {
            cut(total, places[first + i]).add_(whole - scores.data_ptr<double>()[i]);
            cut(covers, places[first + i]).add_(1);
        }
    }
    return {.values = (total / covers).unsqueeze(0),
            .settings = {{"window", window}, {"stride", stride}, {"baseline", settings.baseline}}};
}

// Finds the smallest and smoothest part of the image whose blurring takes the probability of the
// class away. The values are how much of each pixel is blurred.
Attribution meaningful_perturbation(const Question& question) {
    const at::Tensor& image = question.model.image();
    const std::array<std::int64_t, 2> size = {image.size(2), image.size(3)};
    const std::int64_t iterations = question.settings.steps.value_or(kIterations);
    image_gradients(question, image);  // refuses scores whose map would be 0 everywhere
    const at::Tensor blur = blurred(image);
    at::Tensor mask = at::ones({1, 1, std::max<std::int64_t>(size[0] / kCoarse, 1),
                                std::max<std::int64_t>(size[1] / kCoarse, 1)},
                               image.options());
    Adam adam(mask);
    for (std::int64_t i = 0; i < iterations; ++i) {
        stop_if_signaled();
        const c10::AutoGradMode with_gradients(true);
        const at::Tensor kept = mask.detach().requires_grad_();
        const at::Tensor fine = at::upsample_bilinear2d(kept, size, false);
        const at::Tensor seen = image * fine + blur * (1 - fine);
        const at::Tensor score = question.score(at::softmax(question.model.scores(seen), 1)).sum();
        const at::Tensor loss =
            kDeleted * (1 - kept).abs().mean() + kRough * total_variation(kept) + score;
        const at::Tensor gradient = gradients_of(loss, {edge_of(kept)}).front();
        const c10::AutoGradMode without_gradients(false);
        adam.step(mask, gradient);
        mask.clamp_(0, 1);
    }
    return {.values = 1 - at::upsample_bilinear2d(mask, size, false)[0],
            .settings = {{"steps", iterations}, {"rate", kRate}}};
}

}  // namespace ptp::engine
