// The networks of torchvision 0.14, layer by layer with its names, so that its weights fit.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

// A trunk that makes feature maps of images, and a head that makes a vector of these.
class ImageNetwork : public torch::nn::Module {
public:
    // [B, 3, H, W] -> [B, depth(), map_size(H), map_size(W)]; what the head averages.
    virtual at::Tensor feature_maps(const at::Tensor& images) = 0;

    // Of feature maps: [B, D, h, w] -> [B, output_size]. Only where it was made with a head.
    virtual at::Tensor outputs(const at::Tensor& feature_maps) = 0;

    // Channels of the feature maps.
    [[nodiscard]] virtual int64_t depth() const = 0;

    // Height of the feature maps of an image of this height, or width; 0 if it is too small.
    [[nodiscard]] virtual int64_t map_size(int64_t image_size) const = 0;
};

struct ResidualPlan {
    std::array<int64_t, 4> blocks;  // in each of the four layers
    bool has_bottlenecks;
};

// Without an output size there is no head, and no parameters of one. Weights begin as torchvision's
// constructors make them.
using OutputSize = std::optional<int64_t>;
std::shared_ptr<ImageNetwork> make_vgg16(OutputSize output_size);
std::shared_ptr<ImageNetwork> make_resnet(const ResidualPlan& plan, OutputSize output_size);
std::shared_ptr<ImageNetwork> make_densenet121(OutputSize output_size);

// A square kernel that keeps the size of its image, but for the stride: half of it is padded.
struct Kernel {
    int64_t size;
    int64_t stride = 1;
};
torch::nn::Conv2d convolution(int64_t in_channels, int64_t out_channels, Kernel kernel,
                              bool has_bias = false);
