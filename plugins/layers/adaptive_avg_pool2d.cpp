// AdaptiveAvgPool2d: means over parts of an image, as torch.nn.AdaptiveAvgPool2d.

#include "windows.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/pooling.h>

class AdaptiveAvgPool2d {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "AdaptiveAvgPool2d";
    static constexpr const char* summary =
        "Means over as many parts of an image as are wanted: a layer of torch.nn";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images or feature maps"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, ($output_size[0]), ($output_size[-1])",
                    "The means")};

    struct Config {
        layers::Sizes output_size;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("output_size", &Config::output_size,
                                           {.help = "Height and width of the output",
                                            .range = "[1, inf)",
                                            .length = "[1, 2]",
                                            .is_required = true,
                                            .takes_list_or_one = true})};
        }
    };

    explicit AdaptiveAvgPool2d(const Config& config)
        : net_(torch::nn::AdaptiveAvgPool2dOptions(
              {config.output_size.front(), config.output_size.back()})) {}

    // [B, C, H, W] -> [B, C, h, w]
    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

private:
    torch::nn::AdaptiveAvgPool2d net_;
};

template const ptp_component_info& ptp::component<AdaptiveAvgPool2d>();
