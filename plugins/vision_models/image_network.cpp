// Builds a convolution with the defaults of torchvision's networks.
#include "image_network.hpp"

torch::nn::Conv2d convolution(int64_t in_channels, int64_t out_channels, Kernel kernel,
                              bool has_bias) {
    auto options = torch::nn::Conv2dOptions(in_channels, out_channels, kernel.size);
    options.stride(kernel.stride).padding(kernel.size / 2).groups(kernel.groups).bias(has_bias);
    return torch::nn::Conv2d(options);
}
