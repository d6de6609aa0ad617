// The graph of a forward pass, whatever plugin has built it: gradients of any of its results,
// rectifiers that pass on positive gradients alone, and the layer next to the scores.

#pragma once

#include "engine/component/operation_watch.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/edge.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::engine {

// Returns the gradients of the sum of the scores; undefined where they do not depend on a result.
// Nothing is added to the gradients of weights. The graph is freed.
std::vector<at::Tensor> gradients_of(const at::Tensor& scores,
                                     const std::vector<torch::autograd::Edge>& results);

// Returns the place of a tensor in its graph.
torch::autograd::Edge edge_of(const at::Tensor& tensor);

// Lets each ReLU between the scores and the weights pass only positive gradients on. It is
// found by its node, so that one that is a function, is used twice or works in place counts, too.
void guide_rectifiers(const at::Tensor& scores);

// Returns the first weights on the way back from the scores, and the vectors beside them, such as
// their biases; empty if nothing is trained there. The image, which is a leaf of the graph, too, is
// none of them.
std::vector<at::Tensor> last_layer(const at::Tensor& scores, const at::Tensor& image);

// The result of one operation within a model, as it was when it was computed.
struct LayerResult {
    std::string name;
    at::Tensor values;  // a copy
    torch::autograd::Edge edge;
};

// Keeps the result of the operation with this name, "model.3.conv2d" for the third one within the
// model through which a gradient passes, or of the last convolution with more than one place for
// "". layers.csv of a run counts in the same way, but in training and without gradients of the
// image: its numbers differ where an operation is there in only one of the two. [step]
class LayerWatch {
public:
    explicit LayerWatch(std::string wanted) : wanted_(std::move(wanted)) {}

    // Names the component that computes next.
    void enter(const std::string& component);
    void computed(std::string_view operation, const at::Tensor& result) noexcept;

    [[nodiscard]] const std::optional<LayerResult>& found() const { return found_; }
    // Returns the names of the results that are maps: [B, channels, height, width].
    [[nodiscard]] const std::vector<std::string>& maps() const { return maps_; }

private:
    std::string wanted_;
    std::string component_;
    std::size_t count_ = 0;
    std::optional<LayerResult> found_;
    std::vector<std::string> maps_;
};

// While it exists, the inputs and results of softmax and log-softmax on this thread are kept.
class SoftmaxWatch {
public:
    struct Applied {
        at::Tensor input;
        at::Tensor output;
        std::int64_t dim = 0;  // that sums to 1; negative ones count from the end
        bool is_log = false;
    };

    SoftmaxWatch();
    ~SoftmaxWatch();
    SoftmaxWatch(const SoftmaxWatch&) = delete;
    SoftmaxWatch& operator=(const SoftmaxWatch&) = delete;

    // Returns what became these scores by a softmax; nullopt if none made them.
    [[nodiscard]] std::optional<at::Tensor> before(const at::Tensor& scores) const;

    // Returns all of them, in the order in which they were computed.
    [[nodiscard]] const std::vector<Applied>& applied() const { return applied_; }

private:
    struct Context;

    void add(Applied applied);

    at::CallbackHandle handle_;
    std::vector<Applied> applied_;
};

}  // namespace ptp::engine
