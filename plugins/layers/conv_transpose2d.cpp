// ConvTranspose2d: a transposed convolution over images, as torch.nn.ConvTranspose2d.

#include "initializers.hpp"
#include "windows.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/conv.h>

class ConvTranspose2d {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "ConvTranspose2d";
    static constexpr const char* summary =
        "A transposed convolution over images, which enlarges them: a layer of torch.nn";
    static constexpr const char* description =
        "With the weights `weight` and `bias` of torch.nn.ConvTranspose2d, which are initialized as there. "
        "The channels of the input follow from the stream.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, in_channels, height, width", "Images"),
        ptp::output("outputs", PTP_FLOAT,
                    "B, $out_channels, ((height - 1) * $stride[0] - 2 * $padding[0] + $dilation[0] "
                    "* ($kernel_size[0] - 1) + $output_padding[0] + 1), ((width - 1) * $stride[-1] "
                    "- 2 * $padding[-1] + $dilation[-1] * ($kernel_size[-1] - 1) + "
                    "$output_padding[-1] + 1)",
                    "Larger feature maps")
            .meaning("scores")};
    static constexpr std::array requirements{
        ptp::requirement("$output_padding[0] < max($stride[0], $dilation[0])",
                         "must be less than stride or dilation"),
        ptp::requirement("$output_padding[-1] < max($stride[-1], $dilation[-1])",
                         "must be less than stride or dilation"),
        ptp::requirement("in_channels % $groups = 0", "must divide the channels of its input"),
        ptp::requirement("$out_channels % $groups = 0", "must be a multiple of groups")};

    struct Config {
        int64_t out_channels = 0;
        layers::Sizes kernel_size;
        layers::Sizes stride = {1};
        layers::Sizes padding = {0};
        layers::Sizes output_padding = {0};
        layers::Sizes dilation = {1};
        int64_t groups = 1;
        bool bias = true;
        layers::Initializer weight_init = layers::Initializer::kDefault;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "out_channels", &Config::out_channels,
                    {.help = "Number of filters", .range = "[1, inf)", .is_required = true}),
                layers::kernel_setting<Config>("Height and width of a filter"),
                layers::sides_setting("stride", &Config::stride,
                                      "Step between two places of a filter", "[1, inf)"),
                layers::sides_setting("padding", &Config::padding, "Pixels left out at each border",
                                      "[0, inf)"),
                layers::sides_setting("output_padding", &Config::output_padding,
                                      "Pixels added to the output at one border", "[0, inf)"),
                layers::sides_setting("dilation", &Config::dilation,
                                      "Step between two pixels under a filter", "[1, inf)"),
                ptp::setting("groups", &Config::groups,
                             {.help = "Parts of the channels that do not see each other",
                              .range = "[1, inf)"}),
                ptp::setting("bias", &Config::bias, {.help = "Whether a bias is added"}),
                layers::weight_init_setting<Config>()};
        }
    };

    ConvTranspose2d(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::ConvTranspose2dOptions(setup.size("in_channels"), config.out_channels,
                                                 layers::expanded<2>(config.kernel_size))
                   .stride(layers::expanded<2>(config.stride))
                   .padding(layers::expanded<2>(config.padding))
                   .output_padding(layers::expanded<2>(config.output_padding))
                   .dilation(layers::expanded<2>(config.dilation))
                   .groups(config.groups)
                   .bias(config.bias)) {
        layers::initialize(net_->weight, config.weight_init);
    }

    // [B, C, H, W] -> [B, out_channels, h, w]
    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::ConvTranspose2d net_;
};

template const ptp_component_info& ptp::component<ConvTranspose2d>();
