// GELU: the Gaussian error linear unit, as torch.nn.GELU.

#include "same_shape.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/gelu.h>

class GELU {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "GELU";
    static constexpr const char* summary =
        "The Gaussian error linear unit of each number: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("x times the normal distribution function at x");

    struct Config {
        std::string approximate = "none";

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("approximate", &Config::approximate,
                             {.help = "Whether it is computed by a tanh", .choices = "none|tanh"})};
        }
    };

    explicit GELU(const Config& config) : approximate_(config.approximate) {}

    at::Tensor forward(const at::Tensor& inputs) { return at::gelu(inputs, approximate_); }

private:
    std::string approximate_;
};

template const ptp_component_info& ptp::component<GELU>();
