// HuberLoss: squared for small differences, linear for large ones, which limits the effect of
// outliers.

#include "element_loss.hpp"

#include <ATen/ops/huber_loss.h>

class HuberLoss : public losses::ElementLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "HuberLoss";
    static constexpr const char* summary =
        "Mean of squared differences, linear for those above delta";
    static constexpr const char* description =
        "With d = prediction - target, loss = mean of d^2 / 2 where |d| <= delta, else "
        "delta (|d| - delta / 2), over all elements that count: those with a true mask (with "
        "use_masking), each by the weight of its sample (with use_sample_weights). If nothing "
        "counts, the loss and its gradient are 0. The loss of a set is the mean over all of its "
        "elements that count. P. J. Huber, Robust Estimation of a Location Parameter, 1964.";

    static constexpr std::array ports = losses::element_ports(
        "The right numbers", "Numbers, of the sizes of the targets", losses::kNumbers);

    struct Config : losses::ElementConfig {
        double delta = 1.0;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("delta", &Config::delta,
                                        {.help = "The difference above which the loss is linear",
                                         .range = "(0, inf)"})},
                ElementConfig::settings());
        }
    };

    explicit HuberLoss(const Config& config) : ElementLoss(config), delta_(config.delta) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        return mean_of(targets, predictions, {masks, sample_weights},
                       [&](const at::Tensor& predicted, const at::Tensor& wanted) {
                           return at::huber_loss(predicted, wanted, at::Reduction::None, delta_);
                       });
    }

private:
    double delta_;
};

template const ptp_component_info& ptp::component<HuberLoss>();
