// LeakyReLU: a ReLU with a slope for negative numbers, as torch.nn.LeakyReLU.

#include "same_shape.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/leaky_relu.h>

class LeakyReLU {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "LeakyReLU";
    static constexpr const char* summary =
        "A ReLU with a slope for negative numbers: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("x, or negative_slope x where x is negative");

    struct Config {
        double negative_slope = 0.01;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("negative_slope", &Config::negative_slope,
                                           {.help = "The factor of negative numbers"})};
        }
    };

    explicit LeakyReLU(const Config& config) : negative_slope_(config.negative_slope) {}

    at::Tensor forward(const at::Tensor& inputs) { return at::leaky_relu(inputs, negative_slope_); }

private:
    double negative_slope_;
};

template const ptp_component_info& ptp::component<LeakyReLU>();
