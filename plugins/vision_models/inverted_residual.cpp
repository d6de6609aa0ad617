// Computes convolutions with batch normalization, squeeze-and-excitation and inverted residuals.
#include "inverted_residual.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/silu.h>
#include <torch/nn/init.h>

#include <stdexcept>

namespace {

at::Tensor activated(const at::Tensor& maps, Activation activation) {
    switch (activation) {
        case Activation::kNone:
            return maps;
        case Activation::kRelu:
            return maps.relu();
        case Activation::kHardswish:
            return at::hardswish(maps);
        case Activation::kSilu:
            return at::silu(maps);
    }
    throw std::logic_error("an activation without a function");
}

// Weights each channel by a function of the means of all channels (Hu, Shen, Albanie, Sun, Wu 2017,
// arXiv 1709.01507), with SiLU and sigmoid, or with the piecewise linear ReLU and hard sigmoid.
class SqueezeExcitation : public torch::nn::Module {
public:
    SqueezeExcitation(int64_t channels, int64_t squeezed_channels, bool is_smooth)
        : fc1_(register_module("fc1", convolution(channels, squeezed_channels, {.size = 1}, true))),
          fc2_(register_module("fc2", convolution(squeezed_channels, channels, {.size = 1}, true))),
          is_smooth_(is_smooth) {}

    at::Tensor forward(const at::Tensor& maps) {
        // [B, C, H, W] -> [B, squeezed, 1, 1] -> [B, C, 1, 1]
        const at::Tensor hidden = fc1_->forward(at::adaptive_avg_pool2d(maps, {1, 1}));
        const at::Tensor shares = is_smooth_ ? fc2_->forward(at::silu(hidden)).sigmoid()
                                             : at::hardsigmoid(fc2_->forward(hidden.relu()));
        return maps * shares;
    }

private:
    torch::nn::Conv2d fc1_;
    torch::nn::Conv2d fc2_;
    bool is_smooth_;
};

}  // namespace

ConvNorm::ConvNorm(const Plan& plan)
    : convolution_(
          register_module("0", convolution(plan.in_channels, plan.out_channels, plan.kernel))),
      norm_(register_module("1",
                            torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(plan.out_channels)
                                                       .eps(plan.norm.epsilon)
                                                       .momentum(plan.norm.momentum)))),
      activation_(plan.activation) {}

at::Tensor ConvNorm::forward(const at::Tensor& maps) {
    return activated(norm_->forward(convolution_->forward(maps)), activation_);
}

InvertedResidual::InvertedResidual(const InvertedResidualPlan& plan)
    : adds_input_(plan.kernel.stride == 1 && plan.in_channels == plan.out_channels),
      drop_rate_(plan.drop_rate) {
    const auto add = [&](int64_t from, int64_t to, Kernel kernel, Activation activation) {
        block_->push_back(
            std::make_shared<ConvNorm>(ConvNorm::Plan{from, to, kernel, activation, plan.norm}));
    };
    const int64_t expanded = plan.expanded_channels;
    if (expanded != plan.in_channels) {
        add(plan.in_channels, expanded, {.size = 1}, plan.activation);
    }
    Kernel of_each_channel = plan.kernel;
    of_each_channel.groups = expanded;
    add(expanded, expanded, of_each_channel, plan.activation);
    if (plan.squeezed_channels > 0) {
        block_->push_back(std::make_shared<SqueezeExcitation>(
            expanded, plan.squeezed_channels, plan.activation == Activation::kSilu));
    }
    add(expanded, plan.out_channels, {.size = 1}, Activation::kNone);
    register_module("block", block_);
}

at::Tensor InvertedResidual::forward(const at::Tensor& maps) {
    const at::Tensor result = block_->forward(maps);
    return adds_input_ ? maps + with_dropped_samples(result, drop_rate_, is_training()) : result;
}

void initialize_convolutions(torch::nn::Module& network) {
    for (const auto& module : network.modules(false)) {
        if (auto* conv = module->as<torch::nn::Conv2d>()) {
            torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut);
            if (conv->bias.defined()) {
                torch::nn::init::zeros_(conv->bias);
            }
        }
    }
}
