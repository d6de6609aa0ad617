// Grad-CAM and Guided Grad-CAM: Selvaraju, Cogswell, Das, Vedantam, Parikh, Batra (2017).

#include "engine/explain/methods.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"

#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <array>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse_layer(const LayerWatch& watch, const std::string& wanted) {
    if (wanted.empty()) {
        throw NoLayer(
            kConfigurationError,
            Explanation{
                "grad_cam: no convolution of more than one place lies between the image and the "
                "scores",
                watch.maps().empty() ? "--method saliency"
                                     : fmt::format("--layer {}", watch.maps().back())});
    }
    throw RunError(kConfigurationError,
                   fmt::format("--layer {}: no operation of this name has a map as its result{}",
                               wanted, hint_of_layer(wanted, watch.maps())));
}

struct Cam {
    at::Tensor map;  // [1, 1, height, width] of the image
    std::string layer;
};

// [1, K, h, w] -> [1, 1, H, W]: the maps, weighted by the means of their gradients.
Cam cam(const Question& question, bool has_relu, bool is_nearest) {
    const at::Tensor& image = question.model.image();
    LayerWatch watch(question.settings.layer);
    const c10::AutoGradMode with_gradients(true);
    const at::Tensor pixels = image.detach().clone().requires_grad_();
    const at::Tensor score = question.score(question.model.scores(pixels, &watch));
    require_gradient(question, score);
    if (!watch.found()) {
        refuse_layer(watch, question.settings.layer);
    }
    const LayerResult& layer = *watch.found();
    const at::Tensor gradient = gradients_of(score, {layer.edge}).front();
    const c10::AutoGradMode without_gradients(false);
    if (!gradient.defined()) {
        throw RunError(kConfigurationError,
                       fmt::format("grad_cam: the score does not depend on '{}'", layer.name));
    }
    const std::array<std::int64_t, 2> space = {2, 3};
    at::Tensor map = (gradient.mean(space, true) * layer.values).sum(1, true);
    if (has_relu) {
        map = map.clamp_min(0);
    }
    const std::array<std::int64_t, 2> size = {image.size(2), image.size(3)};
    return {.map = is_nearest ? at::upsample_nearest2d(map, size)
                              : at::upsample_bilinear2d(map, size, false),
            .layer = layer.name};
}

}  // namespace

Attribution grad_cam(const Question& question) {
    const bool is_captum = question.settings.is_captum();
    const Cam made = cam(question, !is_captum, is_captum);
    return {.values = made.map[0],
            .settings = {{"layer", made.layer},
                         {"relu", !is_captum},
                         {"interpolation", is_captum ? "nearest" : "bilinear"}}};
}

Attribution guided_grad_cam(const Question& question) {
    const bool is_captum = question.settings.is_captum();
    const Cam made = cam(question, true, is_captum);
    const at::Tensor guided = image_gradients(question, question.model.image(), true);
    return {.values = (guided * made.map)[0],
            .settings = {{"layer", made.layer},
                         {"relu", true},
                         {"interpolation", is_captum ? "nearest" : "bilinear"}}};
}

}  // namespace ptp::engine
