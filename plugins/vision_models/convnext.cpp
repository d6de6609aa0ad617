// ConvNeXt-T: a convolutional network with the proportions of a transformer (Liu, Mao, Wu,
// Feichtenhofer, Darrell, Xie 2022, arXiv 2201.03545), as torchvision.models.convnext_tiny.

#include "image_network.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

namespace {

struct NextStage {
    int64_t channels;
    int64_t blocks;
};
constexpr std::array<NextStage, 4> kNextStages = {{{96, 3}, {192, 3}, {384, 9}, {768, 3}}};
constexpr double kMaxNextDropRate = 0.1;  // of stochastic depth, in the last block
constexpr double kLayerScale = 1e-6;      // the initial factor of a block

torch::nn::LayerNorm layer_norm(int64_t channels) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({channels}).eps(1e-6));
}

// Normalizes the channels of each place.
struct ChannelNorm final : torch::nn::LayerNormImpl {
    explicit ChannelNorm(int64_t channels)
        : LayerNormImpl(torch::nn::LayerNormOptions({channels}).eps(1e-6)) {}

    at::Tensor forward(const at::Tensor& maps) {
        return LayerNormImpl::forward(maps.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
    }
};

// Divides maps into patches of `size` x `size`; each patch becomes a place.
torch::nn::Conv2d patches(int64_t from, int64_t to, int64_t size) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, size).stride(size));
}

class NextBlock : public torch::nn::Module {
public:
    NextBlock(int64_t channels, double drop_rate) : drop_rate_(drop_rate) {
        const Kernel of_each_channel{.size = 7, .groups = channels};
        const auto block = std::make_shared<torch::nn::Module>();
        convolution_ =
            block->register_module("0", convolution(channels, channels, of_each_channel, true));
        norm_ = block->register_module("2", layer_norm(channels));
        linear1_ = block->register_module("3", torch::nn::Linear(channels, 4 * channels));
        linear2_ = block->register_module("5", torch::nn::Linear(4 * channels, channels));
        scale_ = register_parameter("layer_scale", at::full({channels, 1, 1}, kLayerScale));
        register_module("block", block);
    }

    at::Tensor forward(const at::Tensor& maps) {
        at::Tensor x = convolution_->forward(maps).permute({0, 2, 3, 1});  // -> [B, H, W, C]
        x = linear2_->forward(at::gelu(linear1_->forward(norm_->forward(x))));
        x = scale_ * x.permute({0, 3, 1, 2});  // -> [B, C, H, W]
        return maps + with_dropped_samples(x, drop_rate_, is_training());
    }

private:
    double drop_rate_;
    torch::nn::Conv2d convolution_ = nullptr;
    torch::nn::LayerNorm norm_ = nullptr;
    torch::nn::Linear linear1_ = nullptr;
    torch::nn::Linear linear2_ = nullptr;
    at::Tensor scale_;
};

class ConvNextTiny final : public ImageNetwork {
public:
    explicit ConvNextTiny(OutputSize output_size) {
        features_->push_back(
            std::make_shared<Subsequence>(patches(3, kNextStages[0].channels, 4),
                                          std::make_shared<ChannelNorm>(kNextStages[0].channels)));
        add_stages();
        register_module("features", features_);
        if (output_size) {
            const auto classifier = std::make_shared<torch::nn::Module>();
            norm_ = classifier->register_module("0", std::make_shared<ChannelNorm>(depth()));
            linear_ = classifier->register_module("2", torch::nn::Linear(depth(), *output_size));
            register_module("classifier", classifier);
        }
        initialize();
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        return features_->forward(images);
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        const at::Tensor means = at::adaptive_avg_pool2d(maps, {1, 1});  // -> [B, C, 1, 1]
        return linear_->forward(norm_->forward(means).flatten(1));
    }

    int64_t depth() const override { return kNextStages.back().channels; }

    int64_t map_size(int64_t image_size) const override {
        return image_size / 32;  // 4 x 4 patches, and three times 2 x 2, rounding down
    }

private:
    // Between two stages places are merged, 2 x 2 to one. The chance of dropping a block grows from
    // 0 in the first one.
    void add_stages() {
        int64_t all_blocks = 0;
        for (const NextStage& stage : kNextStages) {
            all_blocks += stage.blocks;
        }
        int64_t number = 0;
        int64_t channels = kNextStages[0].channels;
        for (const NextStage& stage : kNextStages) {
            if (stage.channels != channels) {
                features_->push_back(std::make_shared<Subsequence>(
                    std::make_shared<ChannelNorm>(channels), patches(channels, stage.channels, 2)));
                channels = stage.channels;
            }
            const auto blocks = std::make_shared<Subsequence>();
            for (int64_t i = 0; i < stage.blocks; ++i) {
                blocks->push_back(std::make_shared<NextBlock>(
                    channels, kMaxNextDropRate * static_cast<double>(number) /
                                  static_cast<double>(all_blocks - 1)));
                ++number;
            }
            features_->push_back(blocks);
        }
    }

    void initialize() {
        const auto fill = [](const at::Tensor& weight, const at::Tensor& bias) {
            torch::nn::init::normal_(weight, 0, 0.02);
            torch::nn::init::zeros_(bias);
        };
        for (const auto& module : modules(false)) {
            if (auto* conv = module->as<torch::nn::Conv2d>()) {
                fill(conv->weight, conv->bias);
            } else if (auto* linear = module->as<torch::nn::Linear>()) {
                fill(linear->weight, linear->bias);
            }
        }
    }

    torch::nn::Sequential features_;
    std::shared_ptr<ChannelNorm> norm_;
    torch::nn::Linear linear_ = nullptr;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_convnext_tiny(OutputSize output_size) {
    return std::make_shared<ConvNextTiny>(output_size);
}
