// Builds a convolution with the defaults of torchvision's networks; drops residuals.

#include "image_network.hpp"

#include <ATen/ops/empty.h>

torch::nn::Conv2d convolution(int64_t in_channels, int64_t out_channels, Kernel kernel,
                              bool has_bias) {
    auto options = torch::nn::Conv2dOptions(in_channels, out_channels, kernel.size);
    options.stride(kernel.stride).padding(kernel.size / 2).groups(kernel.groups).bias(has_bias);
    return torch::nn::Conv2d(options);
}

at::Tensor with_dropped_samples(const at::Tensor& residual, double rate, bool is_training) {
    if (!is_training || rate == 0) {
        return residual;
    }
    const at::Tensor factors =
        at::empty({residual.size(0), 1, 1, 1}, residual.options().requires_grad(false));
    return residual * factors.bernoulli_(1 - rate).div_(1 - rate);
}
