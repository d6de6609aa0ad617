// VGG-16: thirteen 3 x 3 convolutions and three linear layers (Simonyan, Zisserman 2014, arXiv
// 1409.1556, configuration D), as torchvision.models.vgg16.

#include "image_network.hpp"
#include "max_pool.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

namespace {

constexpr int64_t kDepth = 512;
constexpr int64_t kPooledSize = 7;  // height and width of the head's input
constexpr int64_t kHidden = 4096;

struct Stage {
    int64_t channels;
    int convolutions;
};
constexpr std::array<Stage, 5> kStages = {{{64, 2}, {128, 2}, {256, 3}, {512, 3}, {kDepth, 3}}};

// Has a number among the layers, but no parameters.
struct MaxPool2x2 final : torch::nn::Module {
    at::Tensor forward(const at::Tensor& maps) { return ptp::support::max_pool_2x2(maps); }
};

class Vgg16 final : public ImageNetwork {
public:
    explicit Vgg16(OutputSize output_size) {
        int64_t channels = 3;
        for (const Stage& stage : kStages) {
            for (int i = 0; i < stage.convolutions; ++i) {
                features_->push_back(convolution(channels, stage.channels, {.size = 3}, true));
                features_->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
                channels = stage.channels;
            }
            features_->push_back(std::make_shared<MaxPool2x2>());
        }
        register_module("features", features_);
        if (output_size) {
            add_head(*output_size);
        }
        initialize();
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        return features_->forward(images);
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        const at::Tensor pooled = at::adaptive_avg_pool2d(maps, {kPooledSize, kPooledSize});
        return classifier_->forward(pooled.flatten(1));  // [B, 512 * 7 * 7] -> [B, output_size]
    }

    int64_t depth() const override { return kDepth; }

    int64_t map_size(int64_t image_size) const override {
        return image_size >> kStages.size();  // each stage halves, rounding down
    }

private:
    void add_head(int64_t output_size) {
        const auto add = [&](int64_t from, int64_t to) {
            classifier_->push_back(torch::nn::Linear(from, to));
        };
        const auto add_hidden = [&](int64_t from) {
            add(from, kHidden);
            classifier_->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
            classifier_->push_back(torch::nn::Dropout(0.5));
        };
        add_hidden(kDepth * kPooledSize * kPooledSize);
        add_hidden(kHidden);
        add(kHidden, output_size);
        register_module("classifier", classifier_);
    }

    void initialize() {
        for (const auto& module : modules(false)) {
            if (auto* conv = module->as<torch::nn::Conv2d>()) {
                torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
                torch::nn::init::zeros_(conv->bias);
            } else if (auto* linear = module->as<torch::nn::Linear>()) {
                torch::nn::init::normal_(linear->weight, 0, 0.01);
                torch::nn::init::zeros_(linear->bias);
            }
        }
    }

    torch::nn::Sequential features_;
    torch::nn::Sequential classifier_;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_vgg16(OutputSize output_size) {
    return std::make_shared<Vgg16>(output_size);
}
