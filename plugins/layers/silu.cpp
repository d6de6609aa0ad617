// SiLU: a number times its logistic function, as torch.nn.SiLU.

#include "same_shape.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/silu.h>

class SiLU {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "SiLU";
    static constexpr const char* summary =
        "Each number times its logistic function (swish): a layer of torch.nn";

    static constexpr std::array ports = layers::same_shape("x / (1 + exp(-x)) of each number x");

    at::Tensor forward(const at::Tensor& inputs) { return at::silu(inputs); }
};

template const ptp_component_info& ptp::component<SiLU>();
