// BCEWithLogitsLoss: binary cross-entropy of independent yes-or-no questions, from raw scores.

#include "element_loss.hpp"

#include <ATen/ATen.h>

#include <vector>

class BCEWithLogitsLoss : public losses::ElementLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "BCEWithLogitsLoss";
    static constexpr const char* summary = "Mean binary cross-entropy of logits";
    static constexpr const char* description =
        "With s = sigmoid(prediction), loss = mean of -(w t log s + (1 - t) log(1 - s)) over all "
        "elements that count: those with a true mask (with use_masking), each by the weight of its "
        "sample (with use_sample_weights). w is the positive weight, which makes rare positives "
        "count more; it is not divided out again. Predictions are raw scores: the model must not "
        "end with a sigmoid. Targets are 0 or 1, or probabilities. If nothing counts, the loss and "
        "its gradient are 0. The loss of a set is the mean over all of its elements that count.";

    static constexpr std::array ports =
        losses::element_ports("1 for yes, 0 for no, or a probability",
                              "Logits, of the sizes of the targets", losses::kLogits);
    static constexpr std::array requirements{
        ptp::requirement("length($positive_weights) <= 1 or $num_targets_dims > 1",
                         "must be one weight, because targets of one dimension, the batch's, have "
                         "one question"),
        ptp::requirement(
            "length($positive_weights) <= 1 or length($positive_weights) = predictions[-1]",
            "must be one weight, or one for each size of the last dimension")};

    struct Config : losses::ElementConfig {
        std::vector<double> positive_weights;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting(
                    "positive_weights", &Config::positive_weights,
                    {.help = "How much a positive counts against a negative: one weight for all, "
                             "or one for each size of the last dimension; [] is 1",
                     .range = "(0, inf)",
                     .takes_list_or_one = true})},
                ElementConfig::settings());
        }
    };

    explicit BCEWithLogitsLoss(const Config& config) : ElementLoss(config) {
        const size_t count = config.positive_weights.size();
        if (count > 1 && config.num_targets_dims == 1) {
            throw ptp::ConfigError("positive_weights: ", count,
                                   " given, but targets of one dimension, the batch's, take one");
        }
        if (count > 0) {
            positive_weights_ = at::tensor(config.positive_weights);
        }
    }

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        check_weights(predictions);
        return mean_of(targets, predictions, {masks, sample_weights},
                       [&](const at::Tensor& logits, const at::Tensor& wanted) {
                           losses::require_probabilities(wanted);
                           return at::binary_cross_entropy_with_logits(
                               logits, wanted, {}, positive_weights_, at::Reduction::None);
                       });
    }

private:
    void check_weights(const at::Tensor& predictions) {
        if (!positive_weights_.defined()) {
            return;
        }
        const int64_t count = positive_weights_.size(0);
        if (count > 1 && count != predictions.size(-1)) {
            throw ptp::DataError("positive_weights: ", count,
                                 " given, but the last dimension of predictions has the size ",
                                 predictions.size(-1));
        }
        positive_weights_ = positive_weights_.to(predictions.options().requires_grad(false));
    }

    at::Tensor positive_weights_;  // undefined: 1
};

template const ptp_component_info& ptp::component<BCEWithLogitsLoss>();
