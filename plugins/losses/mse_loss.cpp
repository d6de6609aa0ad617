// MSELoss: the mean squared difference.

#include "element_loss.hpp"

#include <ATen/ops/mse_loss.h>
#include <ATen/ops/square.h>

class MSELoss : public losses::ElementLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "MSELoss";
    static constexpr const char* summary =
        "Mean squared difference between predictions and targets";
    static constexpr const char* description =
        "loss = mean of (prediction - target)^2 over all elements that count: those with a true "
        "mask (with use_masking), each by the weight of its sample (with use_sample_weights). If "
        "nothing counts, the loss and its gradient are 0. The loss of a set is the mean over all "
        "of its elements that count.";

    static constexpr std::array ports = losses::element_ports(
        "The right numbers", "Numbers, of the sizes of the targets", losses::kNumbers);
    using Config = losses::ElementConfig;

    explicit MSELoss(const Config& config) : ElementLoss(config) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        return mean_of(targets, predictions, {masks, sample_weights},
                       [](const at::Tensor& predicted, const at::Tensor& wanted) {
                           // libtorch has no kernel for half precision on the CPU.
                           const bool is_half = predicted.element_size() < 4;
                           return is_half ? (predicted - wanted).square()
                                          : at::mse_loss(predicted, wanted, at::Reduction::None);
                       });
    }
};

template const ptp_component_info& ptp::component<MSELoss>();
