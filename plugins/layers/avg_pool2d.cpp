// AvgPool2d: the mean under each window of an image, as torch.nn.AvgPool2d.

#include "windows.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/avg_pool2d.h>

class AvgPool2d {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "AvgPool2d";
    static constexpr const char* summary =
        "The mean under each window of an image: a layer of torch.nn";
    static constexpr const char* description =
        "Two windows are `stride` apart, which is kernel_size unless it is given.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images or feature maps"),
        ptp::output("outputs", PTP_FLOAT,
                    "B, channels, "
                    "(min(windows(height + if($ceil_mode, ($stride[0]|$kernel_size[0]) - 1, 0), "
                    "$kernel_size[0], ($stride[0]|$kernel_size[0]), $padding[0]), "
                    "(height + $padding[0] - 1) / ($stride[0]|$kernel_size[0]) + 1)), "
                    "(min(windows(width + if($ceil_mode, ($stride[-1]|$kernel_size[-1]) - 1, 0), "
                    "$kernel_size[-1], ($stride[-1]|$kernel_size[-1]), $padding[-1]), "
                    "(width + $padding[-1] - 1) / ($stride[-1]|$kernel_size[-1]) + 1))",
                    "The means")
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$kernel_size[0] <= height + 2 * $padding[0]", layers::kTooLarge)
            .when("!ceil_mode"),
        ptp::requirement("$kernel_size[-1] <= width + 2 * $padding[-1]", layers::kTooWide)
            .when("!ceil_mode"),
        ptp::requirement("$kernel_size[0] <= height + 2 * $padding[0] + $stride[0] - 1",
                         layers::kTooLargeRoundedUp)
            .when("ceil_mode & stride"),
        ptp::requirement("$kernel_size[-1] <= width + 2 * $padding[-1] + $stride[-1] - 1",
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
        bool ceil_mode = false;
        bool count_include_pad = true;

        static constexpr auto settings() {
            return std::tuple{
                layers::kernel_setting<Config>("Height and width of a window"),
                layers::sides_setting("stride", &Config::stride,
                                      "Step between two windows; else kernel_size", "[1, inf)"),
                layers::sides_setting("padding", &Config::padding, "Zeros added at each border",
                                      "[0, inf)"),
                ptp::setting("ceil_mode", &Config::ceil_mode, {.help = layers::kCeilMode}),
                ptp::setting("count_include_pad", &Config::count_include_pad,
                             {.help = "Whether these zeros count in the mean"})};
        }
    };

    explicit AvgPool2d(const Config& config) : config_(config) {}

    // [B, C, H, W] -> [B, C, h, w]
    at::Tensor forward(const at::Tensor& inputs) {
        return at::avg_pool2d(inputs, config_.kernel_size,
                              config_.stride.value_or(config_.kernel_size), config_.padding,
                              config_.ceil_mode, config_.count_include_pad);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<AvgPool2d>();
