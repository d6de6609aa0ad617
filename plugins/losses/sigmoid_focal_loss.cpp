// SigmoidFocalLoss: binary cross-entropy with low weights for answers that are already good.

#include "element_loss.hpp"
#include "focal_terms.hpp"

#include <ATen/ATen.h>

#include <optional>

class SigmoidFocalLoss : public losses::ElementLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "SigmoidFocalLoss";
    static constexpr const char* summary = "Mean focal loss of independent yes-or-no questions";
    static constexpr const char* description =
        "With s = sigmoid(prediction), p = s t + (1 - s)(1 - t) and a = alpha t + "
        "(1 - alpha)(1 - t), loss = mean of a (1 - p)^gamma times the binary cross-entropy, over "
        "all elements that count: those with a true mask (with use_masking), each by the weight of "
        "its sample (with use_sample_weights). Predictions are raw scores; targets are 0 or 1, or "
        "probabilities. gamma = 0 without alpha is BCEWithLogitsLoss. If nothing counts, the loss "
        "and its gradient are 0. The loss of a set is the mean over all of its elements that "
        "count. Lin et al., Focal Loss for Dense Object Detection, arXiv 1708.02002, equation 5; "
        "for one class of several take FocalLoss.";

    static constexpr std::array ports =
        losses::element_ports("1 for yes, 0 for no, or a probability",
                              "Logits, of the sizes of the targets", losses::kLogits);

    struct Config : losses::ElementConfig {
        double gamma = 2.0;
        std::optional<double> alpha;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("gamma", &Config::gamma,
                                        {.help = "How strongly what is answered well is ignored",
                                         .range = "[0, inf)"}),
                           ptp::setting("alpha", &Config::alpha,
                                        {.help = "Weight of positives; 1 - alpha is the weight of "
                                                 "negatives; both weigh 1 if not given",
                                         .range = "[0, 1]"})},
                ElementConfig::settings());
        }
    };

    explicit SigmoidFocalLoss(const Config& config)
        : ElementLoss(config), gamma_(config.gamma), alpha_(config.alpha) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        return mean_of(targets, predictions, {masks, sample_weights},
                       [&](const at::Tensor& logits, const at::Tensor& wanted) {
                           return of_elements(logits, wanted);
                       });
    }

private:
    at::Tensor of_elements(const at::Tensor& logits, const at::Tensor& wanted) const {
        losses::require_probabilities(wanted);
        const at::Tensor entropy =
            at::binary_cross_entropy_with_logits(logits, wanted, {}, {}, at::Reduction::None);
        const at::Tensor yes = logits.sigmoid();
        const at::Tensor no = logits.neg().sigmoid();  // 1 - yes, without its rounding error
        const at::Tensor missing = no * wanted + yes * (1 - wanted);
        const at::Tensor loss = losses::focus(missing, gamma_) * entropy;
        return alpha_ ? loss * (*alpha_ * wanted + (1 - *alpha_) * (1 - wanted)) : loss;
    }

    double gamma_;
    std::optional<double> alpha_;
};

template const ptp_component_info& ptp::component<SigmoidFocalLoss>();
