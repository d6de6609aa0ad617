// The scores of the classes as a function of one image, while the rest of its sample stays as it
// is.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/explain/graph.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ptp::engine {

// Throws RunError if nothing in the prediction is a score of classes, or no stream that it depends
// on can be an image: known before any data is read.
void require_image(const pipeline::Plan& plan, const pipeline::Prediction& prediction);

// [step] The plan and the components, which must be in evaluation mode, must outlive it.
class ScoredModel {
public:
    // Throws as require_image() does.
    ScoredModel(const pipeline::Plan& plan, const Components& components,
                const pipeline::Prediction& prediction);

    // Takes a sample of the batch that was run in the frame. Throws RunError if no image leads to
    // the scores.
    void take(const Frame& frame, const ptp_step& step, std::int64_t sample);

    // Returns the image, [1, C, H, W]: the first stream with this many dimensions that leads to the
    // scores by operations with gradients.
    [[nodiscard]] const at::Tensor& image() const { return image_; }
    [[nodiscard]] const std::string& image_stream() const;
    [[nodiscard]] const std::string& score_stream() const;
    [[nodiscard]] const pipeline::PredictedStream& predicted() const { return predicted_; }
    // Returns whether the last scores are those before a softmax, which the model has applied.
    [[nodiscard]] bool is_before_softmax() const { return is_before_softmax_; }

    // Returns the most images that can be computed at once: 1 if something else in the sample is a
    // text or a list, which cannot be repeated.
    [[nodiscard]] std::int64_t most_copies() const { return most_copies_; }

    // Returns the scores [N, classes] of N images in place of the sample's, with their graph. Those
    // before a softmax if one has made them. The watch (optional) sees the models' operations.
    at::Tensor scores(const at::Tensor& images, LayerWatch* watch = nullptr);

private:
    void find_image(const Frame& frame);
    [[nodiscard]] std::vector<std::size_t> path_from(int stream) const;
    void take_beside(const Frame& frame);
    void put_beside(std::int64_t copies);
    void forward(std::size_t node, const ptp_step& step);

    const pipeline::Plan& plan_;
    const Components& components_;
    pipeline::PredictedStream predicted_;
    std::set<int> behind_;  // the streams that the scores depend on
    int image_stream_ = -1;
    std::vector<std::size_t> path_;  // the nodes from the image to the scores
    std::vector<int> beside_;        // the streams that these read besides
    Frame frame_;
    std::vector<at::Tensor> rests_;  // of `beside_`: the sample's part, undefined for texts
    std::vector<bool> is_repeated_;  // of `beside_`: has a value for each sample
    ptp_step step_{};
    std::int64_t sample_ = 0;
    std::int64_t most_copies_ = 1;
    at::Tensor image_;
    bool is_before_softmax_ = false;
};

}  // namespace ptp::engine
