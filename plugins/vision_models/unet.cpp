// UNet: a class for each pixel of an image.
//
// Ronneberger, Fischer, Brox: U-Net: convolutional networks for biomedical image segmentation,
// 2015, arXiv 1505.04597, with zeros around images, so that no border is lost.

#include "image_network.hpp"
#include "max_pool.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/cat.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

namespace unet {

// Two 3 x 3 convolutions, each with an optional batch normalization, and ReLU.
class TwoConvolutions : public torch::nn::Module {
public:
    TwoConvolutions(int64_t in_channels, int64_t out_channels, bool has_norms) {
        add("1", in_channels, out_channels, has_norms);
        add("2", out_channels, out_channels, has_norms);
    }

    at::Tensor forward(const at::Tensor& maps) {
        at::Tensor x = maps;
        for (Step& step : steps_) {
            x = step.convolution->forward(x);
            x = (step.norm.is_empty() ? x : step.norm->forward(x)).relu();
        }
        return x;
    }

private:
    struct Step {
        torch::nn::Conv2d convolution;
        torch::nn::BatchNorm2d norm = nullptr;  // (optional)
    };

    void add(const std::string& number, int64_t from, int64_t to, bool has_norm) {
        Step step{register_module("conv" + number, convolution(from, to, {.size = 3}, !has_norm))};
        torch::nn::init::kaiming_normal_(step.convolution->weight, 0, torch::kFanIn, torch::kReLU);
        if (has_norm) {
            step.norm = register_module("norm" + number, torch::nn::BatchNorm2d(to));
        } else {
            torch::nn::init::zeros_(step.convolution->bias);
        }
        steps_.push_back(step);
    }

    std::vector<Step> steps_;
};

}  // namespace unet

class UNet {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "UNet";
    static constexpr const char* summary = "Convolutional network with scores for each pixel";
    static constexpr const char* description =
        "On each level of the way down, two 3 x 3 convolutions with batch normalization and ReLU; "
        "between two levels max-pooling of 2 x 2 halves height and width. On the way up a "
        "transposed convolution of 2 x 2 doubles them; its maps, behind those that the way down "
        "had on this level, pass two such convolutions. A 1 x 1 convolution computes plain "
        "scores.\n"
        "channels is the number of maps of each level, of the full size first: one to eight "
        "levels, with a halving between two. The default is the network of the paper. Convolutions "
        "of 3 x 3 begin with He's normal distribution (arXiv 1502.01852), by fan-in.\n"
        "Ronneberger, Fischer, Brox 2015, arXiv 1505.04597, which has neither the normalization "
        "nor the zeros around images that keep their sizes.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, input_depth, input_height, input_width", "Images"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size, input_height, input_width",
                    "Plain scores of the classes of each pixel")
            .meaning("scores")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_depth", "Channels of the images; else known from the stream"),
        ptp::reads_if_named("input_height", "Height of the images; else known from the stream"),
        ptp::reads_if_named("input_width", "Width of the images; else known from the stream"),
        ptp::reads("prediction_size", "Number of classes").purpose(PTP_PURPOSE_SCORE_COUNT)};
    // Formulas have no powers: a requirement for each number of levels.
    static constexpr std::array requirements{
        ptp::requirement("length($channels) != 2 or max(input_height % 2, input_width % 2) = 0",
                         "needs images whose height and width are multiples of 2"),
        ptp::requirement("length($channels) != 3 or max(input_height % 4, input_width % 4) = 0",
                         "needs images whose height and width are multiples of 4"),
        ptp::requirement("length($channels) != 4 or max(input_height % 8, input_width % 8) = 0",
                         "needs images whose height and width are multiples of 8"),
        ptp::requirement("length($channels) != 5 or max(input_height % 16, input_width % 16) = 0",
                         "needs images whose height and width are multiples of 16"),
        ptp::requirement("length($channels) != 6 or max(input_height % 32, input_width % 32) = 0",
                         "needs images whose height and width are multiples of 32"),
        ptp::requirement("length($channels) != 7 or max(input_height % 64, input_width % 64) = 0",
                         "needs images whose height and width are multiples of 64"),
        ptp::requirement("length($channels) != 8 or max(input_height % 128, input_width % 128) = 0",
                         "needs images whose height and width are multiples of 128")};

    struct Config {
        std::vector<int64_t> channels{64, 128, 256, 512, 1024};
        bool use_batch_norm = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("channels", &Config::channels,
                             {.help = "Number of maps of each level, from the full size down",
                              .range = "[1, inf)",
                              .length = "[1, 8]"}),
                ptp::setting("use_batch_norm", &Config::use_batch_norm,
                             {.help = "Whether each channel is normalized after each 3 x 3 "
                                      "convolution"})};
        }
    };

    UNet(const Config& config, ptp::Setup& setup) : num_halvings_(config.channels.size() - 1) {
        int64_t from = setup.size("input_depth");
        for (const int64_t to : config.channels) {
            down_.push_back(
                std::make_shared<unet::TwoConvolutions>(from, to, config.use_batch_norm));
            add("down", down_);
            from = to;
        }
        for (size_t i = num_halvings_; i > 0; --i) {
            const int64_t to = config.channels[i - 1];
            upward_.emplace_back(torch::nn::ConvTranspose2dOptions(from, to, 2).stride(2));
            add("upward", upward_);
            up_.push_back(
                std::make_shared<unet::TwoConvolutions>(2 * to, to, config.use_batch_norm));
            add("up", up_);
            from = to;
        }
        head_ = net_->register_module(
            "head", convolution(from, setup.size("prediction_size"), {.size = 1}, true));
    }

    at::Tensor forward(const at::Tensor& inputs) {
        check_multiple("the height of inputs", inputs.size(2));
        check_multiple("the width of inputs", inputs.size(3));
        std::vector<at::Tensor> levels;  // [B, channels, H / 2^i, W / 2^i]
        for (const auto& convolutions : down_) {
            levels.push_back(convolutions->forward(
                levels.empty() ? inputs : ptp::support::max_pool_2x2(levels.back())));
        }
        at::Tensor maps = levels.back();
        for (size_t i = 0; i < num_halvings_; ++i) {
            levels.pop_back();
            maps = up_[i]->forward(at::cat({levels.back(), upward_[i]->forward(maps)}, 1));
        }
        return head_->forward(maps);  // -> [B, prediction_size, H, W]
    }

    torch::nn::Module& module() { return *net_; }

private:
    // Registers the last of these modules, as the name with its number.
    template <class Modules>
    void add(const std::string& its_name, const Modules& modules) {
        net_->register_module(its_name + std::to_string(modules.size()), modules.back());
    }

    void check_multiple(const char* what, int64_t size) const {
        const int64_t smallest = int64_t{1} << num_halvings_;
        if (size % smallest != 0) {
            throw ptp::DataError(what, " is ", size, ", must be a multiple of ", smallest);
        }
    }

    size_t num_halvings_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::vector<std::shared_ptr<unet::TwoConvolutions>> down_;
    std::vector<torch::nn::ConvTranspose2d> upward_;
    std::vector<std::shared_ptr<unet::TwoConvolutions>> up_;
    torch::nn::Conv2d head_ = nullptr;
};

template const ptp_component_info& ptp::component<UNet>();
