// L1Loss: the mean absolute difference.

#include "element_loss.hpp"

#include <ATen/ops/l1_loss.h>

class L1Loss : public losses::ElementLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "L1Loss";
    static constexpr const char* summary = "Mean absolute difference of predictions and targets";
    static constexpr const char* description =
        "loss = mean of |prediction - target| over all elements that count: those with a true mask "
        "(with use_masking), each by the weight of its sample (with use_sample_weights). The "
        "gradient at a difference of 0 is 0. If nothing counts, the loss and its gradient are 0. "
        "The loss of a set is the mean over all of its elements that count.";

    static constexpr std::array ports = losses::element_ports(
        "The right numbers", "Numbers, of the sizes of the targets", losses::kNumbers);
    using Config = losses::ElementConfig;

    explicit L1Loss(const Config& config) : ElementLoss(config) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        return mean_of(targets, predictions, {masks, sample_weights},
                       [](const at::Tensor& predicted, const at::Tensor& wanted) {
                           return at::l1_loss(predicted, wanted, at::Reduction::None);
                       });
    }
};

template const ptp_component_info& ptp::component<L1Loss>();
