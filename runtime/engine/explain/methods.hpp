// The methods that attribute a score to the pixels of an image.

#pragma once

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/explain/scored_model.hpp"
#include "engine/explain_request.hpp"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ptp::engine {

// The score that is explained: that of a class for the model's image, or the difference of two.
struct Question {
    ScoredModel& model;
    const experiment::Explanations& settings;
    std::int64_t target = 0;
    std::int64_t against = -1;  // the class whose score is subtracted; -1: none

    // [N, classes] -> [N]
    [[nodiscard]] at::Tensor score(const at::Tensor& scores) const;
};

// The result of a method.
struct Attribution {
    at::Tensor values;  // [C or 1, H, W], float32, on the CPU
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    // For a method whose values sum to the difference of two scores: how far they are from it, and
    // this as a part of the difference.
    std::optional<double> delta = {};
    std::optional<double> relative_delta = {};
};

// Is thrown where a signal ends a method before its result.
struct Stopped {};

// Computes one of experiment::kExplainMethods for the image that the model has taken. Weights,
// buffers and generators stay what they are. Throws RunError and Stopped.
Attribution attribution(const std::string& method, const Question& question);

// Returns one number for each pixel, [H, W], as are_magnitudes() states.
at::Tensor heat_of(const std::string& method, const at::Tensor& values);

// --- the parts that several files of this folder need -------------------------------------------

// Throws RunError unless the score has a graph, with a method that needs none as its fix.
void require_gradient(const Question& question, const at::Tensor& score);

// Returns the gradients of the score at these images, at most settings.at_once at once. A guided
// one passes only positive gradients through ReLUs. Throws RunError if there are none.
at::Tensor image_gradients(const Question& question, const at::Tensor& images,
                           bool is_guided = false);

// Throws Stopped if a signal was received.
void stop_if_signaled();

// Calls `use` with one part of the images after the other, at most settings.at_once at once. Throws
// Stopped.
void in_parts(const Question& question, const at::Tensor& images,
              const std::function<void(const at::Tensor& part, std::int64_t first)>& use);

// Returns the scores of these images, [N], without a graph.
at::Tensor scores_of(const Question& question, const at::Tensor& images);

Attribution integrated_gradients(const Question& question);
// Thrown by these two where no layer is suited.
class NoLayer : public WithFix<RunError> {
public:
    using WithFix<RunError>::WithFix;
};
Attribution grad_cam(const Question& question);
Attribution guided_grad_cam(const Question& question);
Attribution occlusion(const Question& question);
Attribution meaningful_perturbation(const Question& question);

}  // namespace ptp::engine
