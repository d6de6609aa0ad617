// Networks as a person writes them with libtorch, for loops by hand.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace ptp::bench {

struct LeNet5 : torch::nn::Module {
    LeNet5();
    torch::Tensor forward(torch::Tensor x);  // [B, 1, 32, 32] -> [B, 10]

    torch::nn::Conv2d conv1{torch::nn::Conv2dOptions(1, 6, 5)};
    torch::nn::Conv2d conv2{torch::nn::Conv2dOptions(6, 16, 5)};
    torch::nn::Conv2d conv3{torch::nn::Conv2dOptions(16, 120, 5)};
    torch::nn::Linear linear1{120, 84};
    torch::nn::Linear linear2{84, 10};
};

struct Mlp : torch::nn::Module {
    Mlp();
    torch::Tensor forward(const torch::Tensor& x);  // [B, 1, 28, 28] -> [B, 10]

    torch::nn::Linear linear1{784, 128};
    torch::nn::Linear linear2{128, 10};
};

struct ResNet18 : torch::nn::Module {
    ResNet18();
    torch::Tensor forward(torch::Tensor x);  // [B, 3, H, W] -> [B, 10]

    torch::nn::Conv2d conv1;
    torch::nn::BatchNorm2d bn1{64};
    torch::nn::Sequential blocks;
    torch::nn::Linear output{512, 10};
};

}  // namespace ptp::bench
