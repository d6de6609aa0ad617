// Identity: its input itself, as torch.nn.Identity.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class Identity {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Identity";
    static constexpr const char* summary = "What it reads itself: a layer of torch.nn";

    static constexpr std::array ports = layers::same_shape("The same numbers", "inputs");

    at::Tensor forward(const at::Tensor& inputs) { return inputs; }
};

template const ptp_component_info& ptp::component<Identity>();
