// The list of methods, and those that are gradients at the image or near it.

#include "engine/explain/methods.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/distributed/signals.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/normal.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

namespace ptp::engine {

namespace {

constexpr std::int64_t kPaperSamples = 50;
constexpr std::int64_t kCaptumSamples = 5;
constexpr double kPaperNoise = 0.15;  // of the range of the image: 10 to 20 % in the paper
constexpr double kCaptumNoise = 1;

// Simonyan, Vedaldi, Zisserman: Deep Inside Convolutional Networks (2013).
Attribution saliency(const Question& question) {
    return {.values = image_gradients(question, question.model.image())[0].abs()};
}

// Shrikumar, Greenside, Shcherbina, Kundaje: Not Just a Black Box (2016).
Attribution input_x_gradient(const Question& question) {
    const at::Tensor& image = question.model.image();
    return {.values = (image * image_gradients(question, image))[0]};
}

// Springenberg, Dosovitskiy, Brox, Riedmiller: Striving for Simplicity (2014).
Attribution guided_backpropagation(const Question& question) {
    return {.values = image_gradients(question, question.model.image(), true)[0]};
}

// Smilkov, Thorat, Kim, Viégas, Wattenberg: SmoothGrad (2017). captum's default is the mean of the
// magnitudes, the paper's that of the gradients.
Attribution smooth_grad(const Question& question) {
    const experiment::Explanations& settings = question.settings;
    const at::Tensor& image = question.model.image();
    const std::int64_t count =
        settings.noisy_copies.value_or(settings.is_captum() ? kCaptumSamples : kPaperSamples);
    const double range = (image.max() - image.min()).item<double>();
    const double noise =
        settings.noise.value_or(settings.is_captum() ? kCaptumNoise : kPaperNoise * range);
    std::vector<std::int64_t> sizes = image.sizes().vec();
    sizes.front() = count;
    // A generator of its own, on the CPU: the run's stay where they are.
    const at::Generator generator =
        at::detail::createCPUGenerator(static_cast<std::uint64_t>(settings.seed));
    const at::Tensor drawn =
        at::normal(0.0, at::full(sizes, noise, image.options().device(at::kCPU)), generator);
    at::Tensor gradients = image_gradients(question, image + drawn.to(image.device()));
    if (settings.is_captum()) {
        gradients = gradients.abs();
    }
    return {.values = gradients.mean(0),
            .settings = {{"samples", count}, {"noise", noise}, {"seed", settings.seed}}};
}

[[noreturn]] void refuse_gradients(const Question& question) {
    throw WithFix<RunError>(
        kConfigurationError,
        Explanation{fmt::format("'{}' has no gradient with respect to the image '{}': a component "
                                "between them computes without gradients",
                                question.model.score_stream(), question.model.image_stream()),
                    "--method occlusion"});
}

struct Method {
    std::string_view name;
    Attribution (*compute)(const Question& question);
};

constexpr std::size_t kMethodCount = experiment::kExplainMethods.size();
constexpr std::array<Method, kMethodCount> kMethods = {
    {{"saliency", saliency},
     {"input_x_gradient", input_x_gradient},
     {"integrated_gradients", integrated_gradients},
     {"smooth_grad", smooth_grad},
     {"grad_cam", grad_cam},
     {"guided_backpropagation", guided_backpropagation},
     {"guided_grad_cam", guided_grad_cam},
     {"occlusion", occlusion},
     {"meaningful_perturbation", meaningful_perturbation}}};

}  // namespace

at::Tensor Question::score(const at::Tensor& scores) const {
    const at::Tensor chosen = scores.select(1, target);
    return against < 0 ? chosen : chosen - scores.select(1, against);
}

void stop_if_signaled() {
    if (Signals::received() != 0) {
        throw Stopped();
    }
}

void in_parts(const Question& question, const at::Tensor& images,
              const std::function<void(const at::Tensor& part, std::int64_t first)>& use) {
    const std::int64_t most = std::min(std::max<std::int64_t>(question.settings.at_once, 1),
                                       question.model.most_copies());
    for (std::int64_t first = 0; first < images.size(0); first += most) {
        stop_if_signaled();
        use(images.narrow(0, first, std::min(most, images.size(0) - first)), first);
    }
}

void require_gradient(const Question& question, const at::Tensor& score) {
    if (!score.requires_grad()) {
        refuse_gradients(question);
    }
}

at::Tensor image_gradients(const Question& question, const at::Tensor& images, bool is_guided) {
    std::vector<at::Tensor> found;
    in_parts(question, images, [&](const at::Tensor& part, std::int64_t) {
        const at::Tensor pixels = part.detach().clone().requires_grad_();
        const c10::AutoGradMode with_gradients(true);
        const at::Tensor score = question.score(question.model.scores(pixels));
        require_gradient(question, score);
        if (is_guided) {
            guide_rectifiers(score);
        }
        found.push_back(gradients_of(score, {edge_of(pixels)}).front());
        if (!found.back().defined()) {
            refuse_gradients(question);
        }
    });
    return at::cat(found);
}

at::Tensor scores_of(const Question& question, const at::Tensor& images) {
    std::vector<at::Tensor> found;
    in_parts(question, images, [&](const at::Tensor& part, std::int64_t) {
        found.push_back(question.score(question.model.scores(part)).detach());
    });
    return at::cat(found);
}

Attribution attribution(const std::string& method, const Question& question) {
    const auto* const found = std::ranges::find(kMethods, method, &Method::name);
    assert(found != kMethods.end());
    Attribution made = found->compute(question);
    made.values = made.values.detach().to(at::kCPU, at::kFloat).contiguous();
    return made;
}

at::Tensor heat_of(const std::string& method, const at::Tensor& values) {
    return are_magnitudes(method) ? values.abs().amax({0}) : values.sum(0);
}

}  // namespace ptp::engine
