// CrossEntropyLoss: the mean cross-entropy of raw scores, which combines a log-softmax and NLLLoss.

#include "class_loss.hpp"

#include <ATen/ATen.h>

class CrossEntropyLoss : public losses::MeanLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "CrossEntropyLoss";
    static constexpr const char* summary = "Mean cross-entropy of logits, with label smoothing";
    static constexpr const char* description =
        "With l = log_softmax(prediction), C classes and e = label_smoothing, loss = -(1/W) sum of "
        "s ((1 - e) w_t l_t + (e / C) sum over all classes c of w_c l_c), over the targets t that "
        "count: those with a true mask (with use_masking) that are not ignore_index. w are the "
        "weights of the classes, s is the weight of the sample, and W the sum of s w_t, as in PyTorch. "
        "If nothing counts, the loss and its gradient are 0; where W is 0 because the classes of all "
        "targets weigh 0, the sum is not divided. Predictions are raw scores: the model must not "
        "end with a log-softmax, for which there is NLLLoss. The loss of a set is the mean over all "
        "of its targets that count. Label smoothing: Szegedy et al., arXiv 1512.00567, section 7.";

    static constexpr std::array ports =
        losses::class_ports("Logit of each class", losses::kClassScores);
    static constexpr std::array globals{losses::kIgnoreIndex};
    static constexpr std::array requirements{losses::kClassWeights, losses::kSeveralClasses};

    struct Config : losses::ClassConfig {
        double label_smoothing = 0.0;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting(
                    "label_smoothing", &Config::label_smoothing,
                    {.help = "Share of each target that is spread evenly over all classes",
                     .range = "[0, 1]"})},
                ClassConfig::settings());
        }
    };

    CrossEntropyLoss(const Config& config, ptp::Setup& setup)
        : batches_(config, setup), label_smoothing_(config.label_smoothing) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor* predictions,
                       const at::Tensor* first_predictions, const at::Tensor* masks,
                       const at::Tensor* sample_weights) {
        const losses::ClassBatch batch = batches_.of({targets,
                                                      predictions,
                                                      first_predictions,
                                                      {masks, sample_weights},
                                                      label_smoothing_ > 0});
        const at::Tensor each =
            at::cross_entropy_loss(batch.scores, batch.targets, batch.class_weights,
                                   at::Reduction::None, batches_.ignore_index(), label_smoothing_);
        return batch.mean(each, mean_);
    }

private:
    losses::ClassBatches batches_;
    double label_smoothing_;
};

template const ptp_component_info& ptp::component<CrossEntropyLoss>();
