// FocalLoss: cross-entropy with low weights for targets that are already predicted well.

#include "class_loss.hpp"
#include "focal_terms.hpp"

#include <ATen/ATen.h>

class FocalLoss : public losses::MeanLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "FocalLoss";
    static constexpr const char* summary = "Mean focal loss of logits of classes";
    static constexpr const char* description =
        "With p = softmax(prediction)[target], loss = -(1/S) sum of s a (1 - p)^gamma log p, over "
        "the targets that count: those with a true mask (with use_masking) that are not "
        "ignore_index. a is the weight of the target's class, the paper's alpha, which is not "
        "divided out again; s is the weight of the sample, and S the sum of s. gamma = 0 without "
        "class_weights is CrossEntropyLoss. If nothing counts, the loss and its gradient are 0. "
        "Predictions are raw scores. The loss of a set is the mean over all of its targets that "
        "count. Lin et al., Focal Loss for Dense Object Detection, arXiv 1708.02002, equation 5; "
        "for independent yes-or-no questions take SigmoidFocalLoss.";

    static constexpr std::array ports =
        losses::class_ports("Logit of each class", losses::kClassScores);
    static constexpr std::array globals{losses::kIgnoreIndex};
    static constexpr std::array requirements{losses::kClassWeights, losses::kSeveralClasses};

    struct Config : losses::ClassConfig {
        double gamma = 2.0;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting(
                    "gamma", &Config::gamma,
                    {.help = "How strongly targets that are predicted well are ignored",
                     .range = "[0, inf)"})},
                ClassConfig::settings());
        }
    };

    FocalLoss(const Config& config, ptp::Setup& setup)
        : batches_(config, setup), gamma_(config.gamma) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor* predictions,
                       const at::Tensor* first_predictions, const at::Tensor* masks,
                       const at::Tensor* sample_weights) {
        const losses::ClassBatch batch =
            batches_.of({targets, predictions, first_predictions, {masks, sample_weights}});
        const at::Tensor likelihood = batch.scores.log_softmax(1)
                                          .gather(1, batch.classes.unsqueeze(1))
                                          .squeeze(1);        // [N, C] -> [N]
        const at::Tensor missing = likelihood.expm1().neg();  // 1 - p
        at::Tensor each = losses::focus(missing, gamma_) * likelihood.neg();
        if (batch.class_weights.defined()) {
            each = each * batch.class_weights.index_select(0, batch.classes);
        }
        return mean_.of_items(each, batch.factors);
    }

private:
    losses::ClassBatches batches_;
    double gamma_;
};

template const ptp_component_info& ptp::component<FocalLoss>();
