// The request to explain predictions: which pixels speak for a class, and what is attended to.

#pragma once

#include "engine/request.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// The methods by name, in the order of the documents. runtime/engine/explain/methods.cpp has what
// they compute.
inline constexpr std::array<const char*, 9> kExplainMethods = {
    "saliency",        "input_x_gradient", "integrated_gradients",
    "smooth_grad",     "grad_cam",         "guided_backpropagation",
    "guided_grad_cam", "occlusion",        "meaningful_perturbation"};

// Beside these: the weights of attention, for which there need be neither images nor classes.
inline constexpr const char* kAttentionMethod = "attention";

// An absent setting follows from the preset, and for some from the image.
struct ExplainSettings {
    std::vector<std::string> methods = {};     // of kExplainMethods
    bool has_attention = false;                // kAttentionMethod, too
    bool needs_attention = false;              // and it is an error if the pipeline has none
    bool is_captum = false;                    // its defaults, otherwise those of the papers
    std::optional<std::int64_t> steps = {};    // of integrated gradients, and of the perturbation
    std::optional<std::int64_t> samples = {};  // of smooth_grad
    std::optional<double> noise = {};          // of smooth_grad: a standard deviation
    std::optional<std::int64_t> window = {};   // of occlusion: pixels in height and width
    std::optional<std::int64_t> stride = {};   // of occlusion
    std::string layer = {};                    // of grad_cam; "": the last convolution with places
    double baseline = 0;                       // the value of a pixel without meaning
    std::int64_t copies = 8;                   // of an image that are computed at once
    std::uint64_t seed = 0;                    // of the noise, and of the layer drawn anew
    bool is_judged = true;                     // computed again with the last layer drawn anew
};

struct ExplainRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;              // the experiment's, for processing this section
    const pipeline::Prediction& prediction;  // found in the same plan
    std::string section;

    // The folder of a checkpoint; nullopt: the weights that the experiment loads.
    std::optional<std::filesystem::path> checkpoint;

    ExplainSettings settings = {};
    std::string target = {};                  // a class by name or number; "": the predicted one
    std::string against = {};                 // the class whose score is subtracted; "": none
    std::optional<std::string> classes = {};  // the global with the names of the classes
    std::uint64_t samples = 8;                // the first ones
    std::filesystem::path folder = {};        // must be empty or not exist

    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;
    bool has_color = false;
};

// Writes the maps into the folder. [main], once in a process.
using ExplainFunction = void (*)(const ExplainRequest& request, RunResult& result) noexcept;

// In the folder: what was computed, written last.
inline constexpr const char* kExplanationsFile = "explanations.json";

inline constexpr const char* kExplainSymbol = "ptp_engine_explain";  // is an ExplainFunction

}  // namespace ptp::engine
