// Inverted residuals, the blocks of MobileNetV3 and EfficientNet: a wide convolution of each
// channel between a narrow input and a narrow output (Sandler et al. 2018, arXiv 1801.04381). Names
// of parameters are those of torchvision's Conv2dNormActivation, InvertedResidual and MBConv.
#pragma once

#include "image_network.hpp"

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>

enum class Activation { kNone, kRelu, kHardswish, kSilu };

// The constants of batch normalization.
struct NormPlan {
    double epsilon = 1e-5;
    double momentum = 0.1;
};

// A convolution without a bias, a batch normalization and an activation.
class ConvNorm : public torch::nn::Module {
public:
    struct Plan {
        int64_t in_channels;
        int64_t out_channels;
        Kernel kernel;
        Activation activation;
        NormPlan norm;
    };

    explicit ConvNorm(const Plan& plan);

    at::Tensor forward(const at::Tensor& maps);

private:
    torch::nn::Conv2d convolution_;
    torch::nn::BatchNorm2d norm_;
    Activation activation_;
};

struct InvertedResidualPlan {
    int64_t in_channels;
    int64_t expanded_channels;
    int64_t out_channels;
    Kernel kernel;              // of the convolution of each expanded channel
    int64_t squeezed_channels;  // inside of squeeze-and-excitation; 0: there is none
    Activation activation;      // kSilu: squeeze-and-excitation has SiLU and sigmoid, too
    NormPlan norm;
    double drop_rate = 0;  // of stochastic depth
};

// Expands the channels, convolves each of them, weights them by squeeze-and-excitation, and
// projects them. The input is added if it has the sizes of the result.
class InvertedResidual : public torch::nn::Module {
public:
    explicit InvertedResidual(const InvertedResidualPlan& plan);

    at::Tensor forward(const at::Tensor& maps);

private:
    torch::nn::Sequential block_;
    bool adds_input_;
    double drop_rate_;
};

// Fills the weights of all convolutions in `network` by He's normal distribution, by fan-out, and
// their biases with 0.
void initialize_convolutions(torch::nn::Module& network);
