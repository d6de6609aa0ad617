// SoftCrossEntropyLoss: the mean cross-entropy of raw scores with shares of classes as targets.

#include "class_loss.hpp"
#include "element_loss.hpp"
#include "tensor_checks.hpp"

#include <ATen/ATen.h>

class SoftCrossEntropyLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "SoftCrossEntropyLoss";
    static constexpr const char* summary =
        "Mean cross-entropy of logits with soft targets: a share of each class";
    static constexpr const char* description =
        "With l = log_softmax(prediction), C classes, e = label_smoothing and the shares t of a "
        "target, loss = mean of -sum over all classes c of w_c ((1 - e) t_c + e / C) l_c over the "
        "samples that count: those with a true mask (with use_masking), each by its weight (with "
        "use_sample_weights). w are the weights of the classes, which are not divided out again, as "
        "in PyTorch's cross_entropy with probabilities. Shares of a target are in [0, 1] and "
        "add up to 1, as MixUp, CutMix, a teacher's softmax or several annotators give them. If "
        "nothing counts, the loss and its gradient are 0. Predictions are raw scores: the model "
        "must not end with a softmax. The loss of a set is the mean over all of its samples that "
        "count.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_FLOAT, "B, classes", "The share of each class in a sample")
            .meaning("probabilities|values"),
        ptp::input("predictions", PTP_FLOAT, "B, classes", "Logit of each class")
            .meaning(losses::kClassScores),
        losses::kSampleMasks, losses::kSampleWeights, losses::kLoss};
    static constexpr std::array requirements{losses::kClassWeights, losses::kSeveralClasses};
    static constexpr std::array statistics = losses::kStatistics;

    struct Config : losses::SampleConfig {
        double label_smoothing = 0.0;
        std::vector<double> class_weights;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("label_smoothing", &Config::label_smoothing,
                                 {.help = "Share of each target that is spread evenly over all "
                                          "classes",
                                  .range = "[0, 1]"}),
                    ptp::setting("class_weights", &Config::class_weights,
                                 {.help = "How much the shares of each class count, one weight for "
                                          "each class; [] is 1 for all",
                                  .range = "[0, inf)"})},
                SampleConfig::settings());
        }
    };

    SoftCrossEntropyLoss(const Config& config, ptp::Setup& setup)
        : class_weights_(losses::class_weights(config.class_weights, setup)),
          label_smoothing_(config.label_smoothing) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        ptp::support::require_sizes("targets", targets, predictions.sizes(), "as predictions has");
        losses::check_class_weights(class_weights_, predictions.size(-1));
        if (class_weights_.defined()) {
            class_weights_ = class_weights_.to(predictions.options().requires_grad(false));
        }
        const at::Tensor counts = losses::factors(
            {masks, sample_weights}, {"predictions", predictions.sizes().slice(0, 1)}, predictions);
        const auto counted = [&](const at::Tensor& rows) {
            return counts.defined() ? losses::where_counted(rows, counts.unsqueeze(1)) : rows;
        };
        check_shares(targets, counts);
        const at::Tensor each = at::cross_entropy_loss(
            counted(predictions), counted(targets).to(predictions.scalar_type()), class_weights_,
            at::Reduction::None, kNoIgnoredClass, label_smoothing_);
        return mean_.of_items(each, counts);
    }

    std::array<double, 1> collect(uint64_t) const { return mean_.collect(); }

private:
    static constexpr int64_t kNoIgnoredClass = -100;  // not used where targets are shares

    // Throws DataError unless the shares of each sample that counts are in [0, 1] and add up to 1.
    static void check_shares(const at::Tensor& targets, const at::Tensor& counts) {
        constexpr double kRounding = 0.01;  // bfloat16 has 8 bits
        const at::Tensor shares =
            counts.defined() ? targets.masked_fill(counts.eq(0).unsqueeze(1), 0) : targets;
        losses::require_probabilities(shares);
        const at::Tensor sums = targets.sum(-1, false, at::kDouble);
        const at::Tensor is_wrong = sums.sub(1).abs().le(kRounding).logical_not();
        ptp::support::require_none(counts.defined() ? is_wrong.logical_and(counts.ne(0)) : is_wrong,
                                   "the sum of targets", sums, "be 1, as of shares");
    }

    at::Tensor class_weights_;  // undefined: all 1
    double label_smoothing_;
    losses::Mean mean_;
};

template const ptp_component_info& ptp::component<SoftCrossEntropyLoss>();
