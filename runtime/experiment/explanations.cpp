// Declares the settings of explanations.

#include "experiment/explanations.hpp"

#include "base/ranges.hpp"

#include <utility>

namespace ptp::experiment {

namespace {

std::vector<std::string> choices_of_methods() {
    std::vector<std::string> choices(kExplainMethods.begin(), kExplainMethods.end());
    choices.insert(choices.end(), {kAttentionMethod, kAllMethods});
    return choices;
}

}  // namespace

std::vector<schema::Field> Explanations::fields() {
    return {
        {.name = "methods",
         .into = &methods,
         .help = "how predictions are explained (attention needs no image)",
         .length = "[1, inf)",
         .choices = choices_of_methods()},
        {.name = "preset",
         .into = &preset,
         .help = "the defaults of the methods: those of the papers, or captum's",
         .choices = {"paper", kCaptum}},
        {.name = "target",
         .into = &target,
         .help = "the class whose score is explained, by name or number; true: that of the "
                 "sample; both: the predicted one and, where it is another, the true one; by "
                 "default the predicted one"},
        {.name = "against",
         .into = &against,
         .help = "the class whose score is subtracted: why the one and not the other"},
        {.name = "samples",
         .into = &samples,
         .help = "samples that are explained, the first ones",
         .range = "[1, inf)"},
        {.name = "steps",
         .into = &steps,
         .help = "of integrated_gradients, by default 50, doubled until the values sum to the "
                 "score, and of meaningful_perturbation, by default 200",
         .range = "[1, inf)"},
        {.name = "noisy_copies",
         .into = &noisy_copies,
         .help = "of smooth_grad; by default 50, captum: 5",
         .range = "[1, inf)"},
        {.name = "noise",
         .into = &noise,
         .help = "the standard deviation of smooth_grad's noise; by default 0.15 of the range of "
                 "the image, captum: 1",
         .range = "[0, inf)"},
        {.name = "window",
         .into = &window,
         .help = "the side of occlusion's window, in pixels; by default an eighth of the image",
         .range = "[1, inf)"},
        {.name = "stride",
         .into = &stride,
         .help = "the pixels by which it moves; by default half of it, captum: 1",
         .range = "[1, inf)"},
        {.name = "layer",
         .into = &layer,
         .help = "the operation of grad_cam, such as model.3.conv2d; for a name that is not there "
                 "those that are there are listed; by default the last convolution with more than "
                 "one place"},
        {.name = "baseline", .into = &baseline, .help = "the value of a pixel without meaning"},
        {.name = "at_once",
         .into = &at_once,
         .help = "copies of an image that are computed at once, which need memory",
         .range = "[1, inf)"},
        {.name = "seed",
         .into = &seed,
         .help = "of the noise, and of the layer that is drawn anew",
         .range = "[0, inf)"},
        {.name = "check",
         .into = &has_check,
         .help = "compute each map again with the last layer drawn anew"},
        {.name = "classes", .into = &classes, .help = "the global with the names of the classes"}};
}

void Explanations::order_methods() {
    const bool is_all = contains(methods, kAllMethods);
    std::vector<std::string> ordered =
        is_all ? std::vector<std::string>{kAllMethods} : pixel_methods();
    if (needs_attention()) {
        ordered.emplace_back(kAttentionMethod);
    }
    methods = std::move(ordered);
}

std::vector<std::string> Explanations::pixel_methods() const {
    std::vector<std::string> found;
    for (const char* method : kExplainMethods) {
        if (contains(methods, kAllMethods) || contains(methods, method)) {
            found.emplace_back(method);
        }
    }
    return found;
}

bool Explanations::has_attention() const {
    return needs_attention() || contains(methods, kAllMethods);
}

bool Explanations::are_usual() const {
    return contains(methods, kAllMethods) || pixel_methods() == Explanations().methods;
}

bool Explanations::needs_attention() const {
    return contains(methods, kAttentionMethod);
}

}  // namespace ptp::experiment
