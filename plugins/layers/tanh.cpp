// Tanh: the hyperbolic tangent, as torch.nn.Tanh.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class Tanh {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Tanh";
    static constexpr const char* summary =
        "The hyperbolic tangent of each number: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("tanh(x) of each number x", "within_one");

    at::Tensor forward(const at::Tensor& inputs) { return inputs.tanh(); }
};

template const ptp_component_info& ptp::component<Tanh>();
