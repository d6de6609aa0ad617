// ReLU: the positive part of each number, as torch.nn.ReLU.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class ReLU {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ReLU";
    static constexpr const char* summary = "The positive part of each number: a layer of torch.nn";

    static constexpr std::array ports =
        layers::same_shape("max(x, 0) of each number x", "non_negative");

    at::Tensor forward(const at::Tensor& inputs) { return inputs.relu(); }
};

template const ptp_component_info& ptp::component<ReLU>();
