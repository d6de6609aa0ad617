// MobileNetV3: inverted residuals with squeeze-and-excitation and hard swish (Howard et al. 2019,
// arXiv 1905.02244, tables 1 and 2), as torchvision.models.mobilenetv3.

#include "inverted_residual.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <vector>

namespace {

// A row of the paper's tables: the convolution of each of `expanded` channels, and the result.
struct Row {
    int64_t kernel;
    int64_t expanded;
    int64_t out;
    bool has_excitation;
    Activation activation;
    int64_t stride;
};
constexpr Activation kRe = Activation::kRelu;
constexpr Activation kHs = Activation::kHardswish;

constexpr std::array<Row, 15> kLargeRows = {{{3, 16, 16, false, kRe, 1},
                                             {3, 64, 24, false, kRe, 2},
                                             {3, 72, 24, false, kRe, 1},
                                             {5, 72, 40, true, kRe, 2},
                                             {5, 120, 40, true, kRe, 1},
                                             {5, 120, 40, true, kRe, 1},
                                             {3, 240, 80, false, kHs, 2},
                                             {3, 200, 80, false, kHs, 1},
                                             {3, 184, 80, false, kHs, 1},
                                             {3, 184, 80, false, kHs, 1},
                                             {3, 480, 112, true, kHs, 1},
                                             {3, 672, 112, true, kHs, 1},
                                             {5, 672, 160, true, kHs, 2},
                                             {5, 960, 160, true, kHs, 1},
                                             {5, 960, 160, true, kHs, 1}}};
constexpr std::array<Row, 11> kSmallRows = {{{3, 16, 16, true, kRe, 2},
                                             {3, 72, 24, false, kRe, 2},
                                             {3, 88, 24, false, kRe, 1},
                                             {5, 96, 40, true, kHs, 2},
                                             {5, 240, 40, true, kHs, 1},
                                             {5, 240, 40, true, kHs, 1},
                                             {5, 120, 48, true, kHs, 1},
                                             {5, 144, 48, true, kHs, 1},
                                             {5, 288, 96, true, kHs, 2},
                                             {5, 576, 96, true, kHs, 1},
                                             {5, 576, 96, true, kHs, 1}}};

// Returns a quarter of the channels, as a multiple of 8 that is not more than a tenth smaller.
int64_t squeezed(int64_t channels) {
    const int64_t quarter = channels / 4;
    const int64_t rounded = std::max<int64_t>(8, (quarter + 4) / 8 * 8);
    return 10 * rounded < 9 * quarter ? rounded + 8 : rounded;
}

class MobileNetV3 final : public ImageNetwork {
public:
    MobileNetV3(const std::vector<Row>& rows, int64_t hidden, OutputSize output_size) {
        add(3, kFirst, {.size = 3, .stride = 2});
        int64_t channels = kFirst;
        for (const Row& row : rows) {
            features_->push_back(std::make_shared<InvertedResidual>(InvertedResidualPlan{
                .in_channels = channels,
                .expanded_channels = row.expanded,
                .out_channels = row.out,
                .kernel = {.size = row.kernel, .stride = row.stride},
                .squeezed_channels = row.has_excitation ? squeezed(row.expanded) : 0,
                .activation = row.activation,
                .norm = kNorm}));
            channels = row.out;
        }
        depth_ = 6 * channels;
        add(channels, depth_, {.size = 1});
        register_module("features", features_);
        if (output_size) {
            add_head(hidden, *output_size);
        }
        initialize_convolutions(*this);
    }

    at::Tensor feature_maps(const at::Tensor& images) override {
        return features_->forward(images);
    }

    at::Tensor outputs(const at::Tensor& maps) override {
        return classifier_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
    }

    int64_t depth() const override { return depth_; }

    int64_t map_size(int64_t image_size) const override {
        return (image_size + 31) / 32;  // halved five times, rounding up
    }

private:
    static constexpr int64_t kFirst = 16;
    static constexpr double kDropoutRate = 0.2;
    static constexpr NormPlan kNorm{.epsilon = 1e-3, .momentum = 0.01};

    void add(int64_t from, int64_t to, Kernel kernel) {
        features_->push_back(
            std::make_shared<ConvNorm>(ConvNorm::Plan{from, to, kernel, kHs, kNorm}));
    }

    void add_head(int64_t hidden, int64_t output_size) {
        const auto linear = [&](int64_t from, int64_t to) {
            torch::nn::Linear made(from, to);
            torch::nn::init::normal_(made->weight, 0, 0.01);
            torch::nn::init::zeros_(made->bias);
            return made;
        };
        classifier_->push_back(linear(depth_, hidden));
        classifier_->push_back(torch::nn::Functional(at::hardswish));
        classifier_->push_back(torch::nn::Dropout(kDropoutRate));
        classifier_->push_back(linear(hidden, output_size));
        register_module("classifier", classifier_);
    }

    int64_t depth_ = 0;
    torch::nn::Sequential features_;
    torch::nn::Sequential classifier_;
};

}  // namespace

std::shared_ptr<ImageNetwork> make_mobilenet_v3_large(OutputSize output_size) {
    return std::make_shared<MobileNetV3>(std::vector<Row>(kLargeRows.begin(), kLargeRows.end()),
                                         1280, output_size);
}

std::shared_ptr<ImageNetwork> make_mobilenet_v3_small(OutputSize output_size) {
    return std::make_shared<MobileNetV3>(std::vector<Row>(kSmallRows.begin(), kSmallRows.end()),
                                         1024, output_size);
}
