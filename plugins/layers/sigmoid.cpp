// Sigmoid: the logistic function, as torch.nn.Sigmoid.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class Sigmoid {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Sigmoid";
    static constexpr const char* summary =
        "The logistic function of each number: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("1 / (1 + exp(-x)) of each number x", "probabilities");

    at::Tensor forward(const at::Tensor& inputs) { return inputs.sigmoid(); }
};

template const ptp_component_info& ptp::component<Sigmoid>();
