// DenseNet-121: each layer receives the maps of all previous ones in its block (Huang, Liu, van der
// Maaten, Weinberger 2016, arXiv 1608.06993, DenseNet-BC), as torchvision.models.densenet121.

#include "image_network.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <string>
#include <vector>

namespace {

constexpr int64_t kFirst = 64;
constexpr int64_t kGrowth = 32;               // channels that a layer adds
constexpr int64_t kBottleneck = 4 * kGrowth;  // channels inside a layer
constexpr std::array<int64_t, 4> kLayers = {6, 12, 24, 16};

class DenseLayer : public torch::nn::Module {
public:
    explicit DenseLayer(int64_t channels)
        : norm1_(register_module("norm1", torch::nn::BatchNorm2d(channels))),
          conv1_(register_module("conv1", convolution(channels, kBottleneck, {.size = 1}))),
          norm2_(register_module("norm2", torch::nn::BatchNorm2d(kBottleneck))),
          conv2_(register_module("conv2", convolution(kBottleneck, kGrowth, {.size = 3}))) {}

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor x = conv1_->forward(norm1_->forward(inputs).relu_());
        return conv2_->forward(norm2_->forward(x).relu_());
    }

private:
    torch::nn::BatchNorm2d norm1_;
    torch::nn::Conv2d conv1_;
    torch::nn::BatchNorm2d norm2_;
    torch::nn::Conv2d conv2_;
};

class DenseBlock : public torch::nn::Module {
public:
    DenseBlock(int64_t channels, int64_t layers) {
        for (int64_t i = 0; i < layers; ++i) {
            layers_.push_back(
                register_module("denselayer" + std::to_string(i + 1),
                                std::make_shared<DenseLayer>(channels + i * kGrowth)));
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        std::vector<at::Tensor> maps{inputs};
        for (const auto& layer : layers_) {
            maps.push_back(layer->forward(at::cat(maps, 1)));
        }
        return at::cat(maps, 1);
    }

private:
    std::vector<std::shared_ptr<DenseLayer>> layers_;
};

// Halves channels, height and width.
class Transition : public torch::nn::Module {
public:
    explicit Transition(int64_t channels)
        : norm_(register_module("norm", torch::nn::BatchNorm2d(channels))),
          conv_(register_module("conv", convolution(channels, channels / 2, {.size = 1}))) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return at::avg_pool2d(conv_->forward(norm_->forward(inputs).relu_()), 2);
    }

private:
    torch::nn::BatchNorm2d norm_;
    torch::nn::Conv2d conv_;
};

class DenseNet121 final : public ImageNetwork {
public:
    explicit DenseNet121(OutputSize output_size) {
        features_->push_back("conv0", convolution(3, kFirst, {.size = 7, .stride = 2}));
        features_->push_back("norm0", torch::nn::BatchNorm2d(kFirst));
        features_->push_back("relu0", torch::nn::ReLU(torch::nn::ReLUOptions(true)));
        features_->push_back(
            "pool0", torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
        depth_ = kFirst;
        for (size_t i = 0; i < kLayers.size(); ++i) {
            const std::string number = std::to_string(i + 1);
            features_->push_back("denseblock" + number,
                                 std::make_shared<DenseBlock>(depth_, kLayers[i]));
            depth_ += kLayers[i] * kGrowth;
            if (i + 1 < kLayers.size()) {
                features_->push_back("transition" + number, std::make_shared<Transition>(depth_));
                depth_ /= 2;
            }
        }
        features_->push_back("norm5", torch::nn::BatchNorm2d(depth_));
        register_module("features", features_);
        if (output_size) {
            classifier_ = register_module("classifier", torch::nn::Linear(depth_, *output_size));
            torch::nn::init::zeros_(classifier_->bias);
        }
        for (const auto& module : modules(false)) {
            if (auto* conv = module->as<torch::nn::Conv2d>()) {
                torch::nn::init::kaiming_normal_(conv->weight);
            }
        }
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        return features_->forward(images).relu_();
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        return classifier_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
    }

    int64_t depth() const override { return depth_; }

    int64_t map_size(int64_t image_size) const override {
        return (image_size + 3) / 4 / 8;  // halved twice, rounding up; then 3 times, rounding down
    }

private:
    int64_t depth_ = 0;
    torch::nn::Sequential features_;
    torch::nn::Linear classifier_ = nullptr;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_densenet121(OutputSize output_size) {
    return std::make_shared<DenseNet121>(output_size);
}
