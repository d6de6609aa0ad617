// Conv2d: a convolution over images, as torch.nn.Conv2d.

#include "initializers.hpp"
#include "padding.hpp"
#include "windows.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/conv.h>

class Conv2d {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Conv2d";
    static constexpr const char* summary = "A convolution over images: a layer of torch.nn";
    static constexpr const char* description =
        "With the weights `weight` and `bias` of torch.nn.Conv2d, which are initialized as there. "
        "The channels of the input follow from the stream.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, in_channels, height, width", "Images"),
        ptp::output("outputs", PTP_FLOAT,
                    "B, $out_channels, (if($padding_same, height, windows(height, $dilation[0] * "
                    "($kernel_size[0] - 1) + 1, $stride[0], $padding[0]))), (if($padding_same, "
                    "width, windows(width, $dilation[-1] * ($kernel_size[-1] - 1) + 1, "
                    "$stride[-1], $padding[-1])))",
                    "Feature maps")
            .meaning("scores")};
    static constexpr std::array requirements{
        ptp::requirement("$kernel_size[0] <= (height + 2 * $padding[0] - 1) / $dilation[0] + 1",
                         layers::kTooLarge)
            .when("!padding_same"),
        ptp::requirement("$kernel_size[-1] <= (width + 2 * $padding[-1] - 1) / $dilation[-1] + 1",
                         layers::kTooWide)
            .when("!padding_same"),
        ptp::requirement("max($stride[0], $stride[-1]) = 1", layers::kNoStride)
            .when("padding_same"),
        ptp::requirement("max($padding[0], $padding[-1]) = 0", layers::kOnePadding)
            .when("padding_same"),
        ptp::requirement("$padding[0] < height", layers::kReflectsTooMuch)
            .when("!padding_same & padding_mode = reflect"),
        ptp::requirement("$padding[0] <= height", layers::kWrapsTooMuch)
            .when("!padding_same & padding_mode = circular"),
        ptp::requirement("(($kernel_size[0] - 1) * $dilation[0] + 1) / 2 < height",
                         layers::kKernelReflectsTooMuch)
            .when("padding_same & padding_mode = reflect"),
        ptp::requirement("(($kernel_size[0] - 1) * $dilation[0] + 1) / 2 <= height",
                         layers::kKernelWrapsTooMuch)
            .when("padding_same & padding_mode = circular"),
        ptp::requirement("$padding[-1] < width", layers::kReflectsTooMuch)
            .when("!padding_same & padding_mode = reflect"),
        ptp::requirement("$padding[-1] <= width", layers::kWrapsTooMuch)
            .when("!padding_same & padding_mode = circular"),
        ptp::requirement("(($kernel_size[-1] - 1) * $dilation[-1] + 1) / 2 < width",
                         layers::kKernelReflectsTooMuch)
            .when("padding_same & padding_mode = reflect"),
        ptp::requirement("(($kernel_size[-1] - 1) * $dilation[-1] + 1) / 2 <= width",
                         layers::kKernelWrapsTooMuch)
            .when("padding_same & padding_mode = circular"),
        ptp::requirement("in_channels % $groups = 0", "must divide the channels of its input"),
        ptp::requirement("$out_channels % $groups = 0", "must be a multiple of groups")};

    struct Config {
        int64_t out_channels = 0;
        layers::Sizes kernel_size;
        layers::Sizes stride = {1};
        layers::Sizes padding = {0};
        layers::Sizes dilation = {1};
        int64_t groups = 1;
        bool bias = true;
        bool padding_same = false;
        layers::PaddingMode padding_mode = layers::PaddingMode::kZeros;
        layers::Initializer weight_init = layers::Initializer::kDefault;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting(
                        "out_channels", &Config::out_channels,
                        {.help = "Number of filters", .range = "[1, inf)", .is_required = true}),
                    layers::kernel_setting<Config>("Height and width of a filter"),
                    layers::sides_setting("stride", &Config::stride,
                                          "Step between two places of a filter", "[1, inf)"),
                    layers::sides_setting("padding", &Config::padding,
                                          "Numbers added at each border", "[0, inf)"),
                    layers::sides_setting("dilation", &Config::dilation,
                                          "Step between two pixels under a filter", "[1, inf)"),
                    ptp::setting("groups", &Config::groups,
                                 {.help = "Parts of the channels that do not see each other",
                                  .range = "[1, inf)"}),
                    ptp::setting("bias", &Config::bias, {.help = "Whether a bias is added"}),
                    layers::weight_init_setting<Config>()},
                layers::padding_settings<Config>());
        }
    };

    Conv2d(const Config& config, ptp::Setup& setup)
        : padding_({config.kernel_size, config.padding, config.dilation, config.padding_same,
                    config.padding_mode}),
          net_(torch::nn::Conv2dOptions(setup.size("in_channels"), config.out_channels,
                                        layers::expanded<2>(config.kernel_size))
                   .stride(layers::expanded<2>(config.stride))
                   .padding(padding_.of_convolution())
                   .dilation(layers::expanded<2>(config.dilation))
                   .groups(config.groups)
                   .bias(config.bias)) {
        layers::initialize(net_->weight, config.weight_init);
    }

    // [B, C, H, W] -> [B, out_channels, h, w]
    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(padding_.padded(inputs)); }

    torch::nn::Module& module() { return *net_; }

private:
    layers::Padding<2> padding_;
    torch::nn::Conv2d net_;
};

template const ptp_component_info& ptp::component<Conv2d>();
