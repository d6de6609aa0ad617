// The explanations of predictions: [report.explanations], and the options of
// `ptprun explain-prediction`.

#pragma once

#include "schema/fields.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// The methods by name, in the order of the documents. runtime/engine/explain/methods.cpp has what
// they compute.
inline constexpr std::array<const char*, 9> kExplainMethods = {
    "saliency",        "input_x_gradient", "integrated_gradients",
    "smooth_grad",     "grad_cam",         "guided_backpropagation",
    "guided_grad_cam", "occlusion",        "meaningful_perturbation"};

// Beside these: the weights of attention, for which there need be neither images nor classes.
inline constexpr const char* kAttentionMethod = "attention";

// All of these; attention where the pipeline has some.
inline constexpr const char* kAllMethods = "all";

// An absent setting follows from the preset, and for some from the image.
struct Explanations {
    std::string section = {};  // of [report.explanations]; "" before it has been read
    std::vector<std::string> methods = {"saliency", "integrated_gradients", "grad_cam"};
    std::string preset = "paper";  // or kCaptum
    std::string target = {};   // a class by name or number, kTrue or kBoth; "": the predicted one
    std::string against = {};  // the class whose score is subtracted; "": none
    std::int64_t samples = 8;  // the first ones
    std::optional<std::int64_t> steps = {};  // of integrated gradients, and of the perturbation
    std::optional<std::int64_t> noisy_copies = {};  // of smooth_grad
    std::optional<double> noise = {};               // of smooth_grad: a standard deviation
    std::optional<std::int64_t> window = {};        // of occlusion: pixels in height and width
    std::optional<std::int64_t> stride = {};        // of occlusion
    std::string layer = {};    // of grad_cam; "": the last convolution with places
    double baseline = 0;       // the value of a pixel without meaning
    std::int64_t at_once = 8;  // copies of an image that are computed at once
    std::int64_t seed = 0;     // of the noise, and of the layer drawn anew
    bool has_check = true;     // computed again with the last layer drawn anew
    std::string classes = {};  // the global with their names; "": found in the plan

    static constexpr const char* kCaptum = "captum";
    // Targets unless a class has this name: the true class of each sample; the predicted one and,
    // where that is another, the true one.
    static constexpr const char* kTrue = "true";
    static constexpr const char* kBoth = "both";
    [[nodiscard]] bool is_captum() const { return preset == kCaptum; }

    // Returns the declarations of all but the section.
    std::vector<schema::Field> fields();

    // Puts the methods in the order of the documents, each once; kAllMethods replaces those whose
    // maps are of pixels.
    void order_methods();

    // Returns those of kExplainMethods that are asked for.
    [[nodiscard]] std::vector<std::string> pixel_methods() const;
    [[nodiscard]] bool has_attention() const;

    // Returns whether the methods are those that are meant where none is named: one that does not
    // suit the model is left out.
    [[nodiscard]] bool are_usual() const;

    // Returns whether it is an error if the pipeline has none: it was asked for by its name.
    [[nodiscard]] bool needs_attention() const;
};

}  // namespace ptp::experiment
