// Residual networks (He, Zhang, Ren, Sun 2015, arXiv 1512.03385), with groups of filters (Xie,
// Girshick, Dollar, Tu, He 2016, arXiv 1611.05431) or wider bottlenecks (Zagoruyko, Komodakis 2016,
// arXiv 1605.07146), as torchvision.models.resnet: in a bottleneck the 3 x 3 convolution has the
// stride.

#include "image_network.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <string>
#include <vector>

namespace {

// The structure of a residual block; a bottleneck has `width` filters inside.
struct BlockPlan {
    bool is_bottleneck;
    int64_t in_channels;
    int64_t width;
    int64_t out_channels;
    int64_t stride;
    int64_t groups;
};

class Block : public torch::nn::Module {
public:
    explicit Block(const BlockPlan& plan) {
        const int64_t out = plan.out_channels;
        if (plan.is_bottleneck) {
            add(plan.in_channels, plan.width, {.size = 1});
            add(plan.width, plan.width, {.size = 3, .stride = plan.stride, .groups = plan.groups});
            add(plan.width, out, {.size = 1});
        } else {
            add(plan.in_channels, out, {.size = 3, .stride = plan.stride});
            add(out, out, {.size = 3});
        }
        if (plan.stride != 1 || plan.in_channels != out) {
            downsample_->push_back(
                convolution(plan.in_channels, out, {.size = 1, .stride = plan.stride}));
            downsample_->push_back(torch::nn::BatchNorm2d(out));
            register_module("downsample", downsample_);
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor x = inputs;
        for (size_t i = 0; i < steps_.size(); ++i) {
            x = steps_[i].norm->forward(steps_[i].convolution->forward(x));
            if (i + 1 < steps_.size()) {
                x.relu_();
            }
        }
        x += downsample_->is_empty() ? inputs : downsample_->forward(inputs);
        return x.relu_();
    }

private:
    struct Step {
        torch::nn::Conv2d convolution;
        torch::nn::BatchNorm2d norm;
    };

    void add(int64_t from, int64_t to, Kernel kernel) {
        const std::string number = std::to_string(steps_.size() + 1);
        steps_.push_back({register_module("conv" + number, convolution(from, to, kernel)),
                          register_module("bn" + number, torch::nn::BatchNorm2d(to))});
    }

    std::vector<Step> steps_;
    torch::nn::Sequential downsample_;
};

class ResNet final : public ImageNetwork {
public:
    ResNet(const ResidualPlan& plan, OutputSize output_size) {
        conv1_ = register_module("conv1", convolution(3, kFirst, {.size = 7, .stride = 2}));
        bn1_ = register_module("bn1", torch::nn::BatchNorm2d(kFirst));
        depth_ = kFirst;
        for (size_t i = 0; i < plan.blocks.size(); ++i) {
            layers_.push_back(register_module("layer" + std::to_string(i + 1), layer(plan, i)));
        }
        if (output_size) {
            fc_ = register_module("fc", torch::nn::Linear(depth_, *output_size));
        }
        // Normalization starts with weights 1 and biases 0, the linear layer with libtorch's
        // initialization.
        for (const auto& module : modules(false)) {
            if (auto* conv = module->as<torch::nn::Conv2d>()) {
                torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
            }
        }
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        at::Tensor x = bn1_->forward(conv1_->forward(images)).relu_();
        x = at::max_pool2d(x, 3, 2, 1);
        for (torch::nn::Sequential& layer : layers_) {
            x = layer->forward(x);
        }
        return x;
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        return fc_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
    }

    int64_t depth() const override { return depth_; }

    int64_t map_size(int64_t image_size) const override {
        return (image_size + 31) / 32;  // halved five times, rounding up
    }

private:
    static constexpr int64_t kFirst = 64;

    // Returns layer number `index`; updates depth_ from its input channels to its output channels.
    torch::nn::Sequential layer(const ResidualPlan& plan, size_t index) {
        torch::nn::Sequential made;
        const int64_t filters = kFirst << index;
        for (int64_t i = 0; i < plan.blocks[index]; ++i) {
            const BlockPlan block{.is_bottleneck = plan.has_bottlenecks,
                                  .in_channels = depth_,
                                  .width = filters * plan.width_per_group / 64 * plan.groups,
                                  .out_channels = plan.has_bottlenecks ? 4 * filters : filters,
                                  .stride = i == 0 && index > 0 ? 2 : 1,
                                  .groups = plan.groups};
            made->push_back(std::make_shared<Block>(block));
            depth_ = block.out_channels;
        }
        return made;
    }

    int64_t depth_ = 0;
    torch::nn::Conv2d conv1_ = nullptr;
    torch::nn::BatchNorm2d bn1_ = nullptr;
    std::vector<torch::nn::Sequential> layers_;
    torch::nn::Linear fc_ = nullptr;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_resnet(const ResidualPlan& plan, OutputSize output_size) {
    return std::make_shared<ResNet>(plan, output_size);
}
