// Conv1d: a convolution over sequences, as torch.nn.Conv1d.

#include "channels_first.hpp"
#include "initializers.hpp"
#include "padding.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/conv.h>

class Conv1d {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Conv1d";
    static constexpr const char* summary = "A convolution over sequences: a layer of torch.nn";
    static constexpr const char* description =
        "With the weights `weight` and `bias` of torch.nn.Conv1d, which are initialized as there. "
        "The channels of the input follow from the stream. What is [B, length, size], such as the "
        "vectors of an Embedding, becomes [B, size, length] by a Transpose before it.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, in_channels, length",
                   "Sequences of vectors, channels first"),
        ptp::output("outputs", PTP_FLOAT,
                    "B, $out_channels, (if($padding_same, length, windows(length, $dilation * "
                    "($kernel_size - 1) + 1, $stride, $padding)))",
                    "Sequences of vectors, channels first")
            .meaning("scores")};
    static constexpr std::array requirements{
        ptp::requirement("$kernel_size <= (length + 2 * $padding - 1) / $dilation + 1",
                         "must be at most the length of its input with the padding")
            .when("!padding_same"),
        ptp::requirement("$stride = 1", layers::kNoStride).when("padding_same"),
        ptp::requirement("$padding = 0", layers::kOnePadding).when("padding_same"),
        ptp::requirement("$padding < length", layers::kReflectsTooMuch)
            .when("!padding_same & padding_mode = reflect"),
        ptp::requirement("$padding <= length", layers::kWrapsTooMuch)
            .when("!padding_same & padding_mode = circular"),
        ptp::requirement("(($kernel_size - 1) * $dilation + 1) / 2 < length",
                         layers::kKernelReflectsTooMuch)
            .when("padding_same & padding_mode = reflect"),
        ptp::requirement("(($kernel_size - 1) * $dilation + 1) / 2 <= length",
                         layers::kKernelWrapsTooMuch)
            .when("padding_same & padding_mode = circular"),
        ptp::requirement("in_channels % $groups = 0", "must divide the channels of its input"),
        ptp::requirement("$out_channels % $groups = 0", "must be a multiple of groups")};

    struct Config {
        int64_t out_channels = 0;
        int64_t kernel_size = 0;
        int64_t stride = 1;
        int64_t padding = 0;
        int64_t dilation = 1;
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
                    ptp::setting(
                        "kernel_size", &Config::kernel_size,
                        {.help = "Length of a filter", .range = "[1, inf)", .is_required = true}),
                    ptp::setting(
                        "stride", &Config::stride,
                        {.help = "Step between two places of a filter", .range = "[1, inf)"}),
                    ptp::setting("padding", &Config::padding,
                                 {.help = "Numbers added at each end", .range = "[0, inf)"}),
                    ptp::setting(
                        "dilation", &Config::dilation,
                        {.help = "Step between two places under a filter", .range = "[1, inf)"}),
                    ptp::setting("groups", &Config::groups,
                                 {.help = "Parts of the channels that do not see each other",
                                  .range = "[1, inf)"}),
                    ptp::setting("bias", &Config::bias, {.help = "Whether a bias is added"}),
                    layers::weight_init_setting<Config>()},
                layers::padding_settings<Config>());
        }
    };

    Conv1d(const Config& config, ptp::Setup& setup)
        : padding_({{config.kernel_size},
                    {config.padding},
                    {config.dilation},
                    config.padding_same,
                    config.padding_mode}),
          net_(torch::nn::Conv1dOptions(layers::channels(setup), config.out_channels,
                                        config.kernel_size)
                   .stride(config.stride)
                   .padding(padding_.of_convolution())
                   .dilation(config.dilation)
                   .groups(config.groups)
                   .bias(config.bias)) {
        layers::initialize(net_->weight, config.weight_init);
    }

    // [B, C, L] -> [B, out_channels, l]
    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(padding_.padded(inputs)); }

    torch::nn::Module& module() { return *net_; }

private:
    layers::Padding<1> padding_;
    torch::nn::Conv1d net_;
};

template const ptp_component_info& ptp::component<Conv1d>();
