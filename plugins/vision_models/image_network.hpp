// The networks of torchvision 0.14, with the same layers and names, so that its weights fit.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

// A trunk that computes feature maps of images, and a head that computes a vector from these.
class ImageNetwork : public torch::nn::Module {
public:
    // Returns [B, 3, H, W] -> [B, depth(), map_size(H), map_size(W)], the input of the head.
    virtual at::Tensor feature_maps(const at::Tensor& images) = 0;

    // Computes [B, D, h, w] -> [B, output_size] from feature maps. Only if the network has a head.
    virtual at::Tensor outputs(const at::Tensor& feature_maps) = 0;

    // Returns the number of channels of the feature maps.
    [[nodiscard]] virtual int64_t depth() const = 0;

    // Returns the height (width) of the feature maps for an image of this height (width); 0 if it
    // is too small.
    [[nodiscard]] virtual int64_t map_size(int64_t image_size) const = 0;
};

struct ResidualPlan {
    std::array<int64_t, 4> blocks;  // in each of the four layers
    bool has_bottlenecks;
    int64_t groups = 1;            // of the 3 x 3 convolutions of bottlenecks
    int64_t width_per_group = 64;  // filters of a group in the first layer
};

// The output size; without one there is no head, and no parameters of one. Weights are initialized
// as by torchvision's constructors.
using OutputSize = std::optional<int64_t>;
std::shared_ptr<ImageNetwork> make_vgg16(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_resnet(const ResidualPlan& plan, OutputSize output_size);
std::shared_ptr<ImageNetwork> make_densenet121(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_mobilenet_v3_large(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_mobilenet_v3_small(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_efficientnet_b0(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_convnext_tiny(OutputSize output_size);

// A sequence that can be a part of another one.
struct Subsequence final : torch::nn::SequentialImpl {
    using SequentialImpl::SequentialImpl;

    at::Tensor forward(const at::Tensor& maps) { return SequentialImpl::forward(maps); }
};

// A square kernel with half of its size as padding, which keeps the size of the image except for
// the stride.
struct Kernel {
    int64_t size;
    int64_t stride = 1;
    int64_t groups = 1;
};
torch::nn::Conv2d convolution(int64_t in_channels, int64_t out_channels, Kernel kernel,
                              bool has_bias = false);

// Stochastic depth (Huang, Sun, Liu, Sedra, Weinberger 2016, arXiv 1603.09382): while training, the
// whole residual of a sample becomes 0 with this chance, and is divided by 1 - `rate` otherwise.
at::Tensor with_dropped_samples(const at::Tensor& residual, double rate, bool is_training);
