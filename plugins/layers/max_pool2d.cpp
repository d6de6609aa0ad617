// MaxPool2d: the largest number under each window of an image, as torch.nn.MaxPool2d.

#include "max_pool.hpp"
#include "windows.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/max_pool2d.h>

class MaxPool2d {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "MaxPool2d";
    static constexpr const char* summary =
        "The largest number under each window of an image: a layer of torch.nn";
    static constexpr const char* description =
        "Two windows are `stride` apart, which is kernel_size unless it is given.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images or feature maps"),
        ptp::output(
            "outputs", PTP_FLOAT,
            "B, channels, (min(windows(height + if($ceil_mode, ($stride[0]|$kernel_size[0]) - 1, "
            "0), $dilation[0] * ($kernel_size[0] - 1) + 1, ($stride[0]|$kernel_size[0]), "
            "$padding[0]), (height + $padding[0] - 1) / ($stride[0]|$kernel_size[0]) + 1)), "
            "(min(windows(width + if($ceil_mode, ($stride[-1]|$kernel_size[-1]) - 1, 0), "
            "$dilation[-1] * ($kernel_size[-1] - 1) + 1, ($stride[-1]|$kernel_size[-1]), "
            "$padding[-1]), (width + $padding[-1] - 1) / ($stride[-1]|$kernel_size[-1]) + 1))",
            "The largest numbers")
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$kernel_size[0] <= (height + 2 * $padding[0] - 1) / $dilation[0] + 1",
                         layers::kTooLarge)
            .when("!ceil_mode"),
        ptp::requirement("$kernel_size[-1] <= (width + 2 * $padding[-1] - 1) / $dilation[-1] + 1",
                         layers::kTooWide)
            .when("!ceil_mode"),
        ptp::requirement(
            "($kernel_size[0] - 1) * $dilation[0] + 1 <= height + 2 * $padding[0] + $stride[0] - 1",
            layers::kTooLargeRoundedUp)
            .when("ceil_mode & stride"),
        ptp::requirement(
            "($kernel_size[-1] - 1) * $dilation[-1] + 1 <= width + 2 * $padding[-1] + $stride[-1] - 1",
            layers::kTooWideRoundedUp)
            .when("ceil_mode & stride"),
        ptp::requirement("2 * $padding[0] <= $kernel_size[0]",
                         "must be at most half of kernel_size"),
        ptp::requirement("2 * $padding[-1] <= $kernel_size[-1]",
                         "must be at most half of kernel_size")};

    struct Config {
        layers::Sizes kernel_size;
        std::optional<layers::Sizes> stride;
        layers::Sizes padding = {0};
        layers::Sizes dilation = {1};
        bool ceil_mode = false;

        static constexpr auto settings() {
            return std::tuple{
                layers::kernel_setting<Config>("Height and width of a window"),
                layers::sides_setting("stride", &Config::stride,
                                      "Step between two windows; else kernel_size", "[1, inf)"),
                layers::sides_setting("padding", &Config::padding,
                                      "Numbers added at each border, which never win", "[0, inf)"),
                layers::sides_setting("dilation", &Config::dilation,
                                      "Step between two pixels under a window", "[1, inf)"),
                ptp::setting("ceil_mode", &Config::ceil_mode, {.help = layers::kCeilMode})};
        }
    };

    explicit MaxPool2d(const Config& config) : config_(config) {
        config_.stride = config.stride.value_or(config.kernel_size);
        is_2x2_ = *layers::expanded<2>(config_.kernel_size) == kTwo &&
                  *layers::expanded<2>(*config_.stride) == kTwo &&
                  *layers::expanded<2>(config_.padding) == kNone &&
                  *layers::expanded<2>(config_.dilation) == kOne && !config_.ceil_mode;
    }

    // [B, C, H, W] -> [B, C, h, w]
    at::Tensor forward(const at::Tensor& inputs) {
        return is_2x2_ ? ptp::support::max_pool_2x2(inputs)
                       : at::max_pool2d(inputs, config_.kernel_size, *config_.stride,
                                        config_.padding, config_.dilation, config_.ceil_mode);
    }

private:
    static constexpr std::array<int64_t, 2> kTwo = {2, 2};
    static constexpr std::array<int64_t, 2> kOne = {1, 1};
    static constexpr std::array<int64_t, 2> kNone = {0, 0};

    Config config_;
    bool is_2x2_ = false;
};

template const ptp_component_info& ptp::component<MaxPool2d>();
