// EfficientNet-B0: inverted residuals with squeeze-and-excitation, SiLU and stochastic depth (Tan,
// Le 2019, arXiv 1905.11946, table 1), as torchvision.models.efficientnet_b0.

#include "inverted_residual.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <cmath>

namespace {

constexpr int64_t kStemChannels = 32;
constexpr double kHeadDropoutRate = 0.2;
constexpr double kMaxBlockDropRate = 0.2;  // of stochastic depth, behind the last block

// A row of the paper's table: `blocks` blocks, the first one with the stride.
struct ExpansionStage {
    int64_t expansion;
    int64_t kernel;
    int64_t stride;
    int64_t out;
    int64_t blocks;
};
constexpr std::array<ExpansionStage, 7> kExpansionStages = {{{1, 3, 1, 16, 1},
                                                             {6, 3, 2, 24, 2},
                                                             {6, 5, 2, 40, 2},
                                                             {6, 3, 2, 80, 3},
                                                             {6, 5, 1, 112, 3},
                                                             {6, 5, 2, 192, 4},
                                                             {6, 3, 1, 320, 1}}};

class EfficientNetB0 final : public ImageNetwork {
public:
    explicit EfficientNetB0(OutputSize output_size) {
        add(3, kStemChannels, {.size = 3, .stride = 2});
        add_stages();
        add(kExpansionStages.back().out, kDepth, {.size = 1});
        register_module("features", features_);
        if (output_size) {
            torch::nn::Linear linear(kDepth, *output_size);
            const double bound = 1 / std::sqrt(static_cast<double>(*output_size));
            torch::nn::init::uniform_(linear->weight, -bound, bound);
            torch::nn::init::zeros_(linear->bias);
            classifier_->push_back(torch::nn::Dropout(kHeadDropoutRate));
            classifier_->push_back(linear);
            register_module("classifier", classifier_);
        }
        initialize_convolutions(*this);
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        return features_->forward(images);
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        return classifier_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
    }

    int64_t depth() const override { return kDepth; }

    int64_t map_size(int64_t image_size) const override {
        return (image_size + 31) / 32;  // halved five times, rounding up
    }

private:
    static constexpr int64_t kDepth = 4 * kExpansionStages.back().out;

    void add(int64_t from, int64_t to, Kernel kernel) {
        features_->push_back(std::make_shared<ConvNorm>(
            ConvNorm::Plan{from, to, kernel, Activation::kSilu, NormPlan{}}));
    }

    // The chance of dropping a block grows from 0 with the number of blocks before it.
    void add_stages() {
        int64_t all_blocks = 0;
        for (const ExpansionStage& stage : kExpansionStages) {
            all_blocks += stage.blocks;
        }
        int64_t channels = kStemChannels;
        int64_t number = 0;
        for (const ExpansionStage& stage : kExpansionStages) {
            const auto blocks = std::make_shared<Subsequence>();
            for (int64_t i = 0; i < stage.blocks; ++i) {
                blocks->push_back(std::make_shared<InvertedResidual>(InvertedResidualPlan{
                    .in_channels = channels,
                    .expanded_channels = stage.expansion * channels,
                    .out_channels = stage.out,
                    .kernel = {.size = stage.kernel, .stride = i == 0 ? stage.stride : 1},
                    .squeezed_channels = channels / 4,
                    .activation = Activation::kSilu,
                    .norm = {},
                    .drop_rate = kMaxBlockDropRate * static_cast<double>(number) /
                                 static_cast<double>(all_blocks)}));
                channels = stage.out;
                ++number;
            }
            features_->push_back(blocks);
        }
    }

    torch::nn::Sequential features_;
    torch::nn::Sequential classifier_;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_efficientnet_b0(OutputSize output_size) {
    return std::make_shared<EfficientNetB0>(output_size);
}
