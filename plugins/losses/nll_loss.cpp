// NLLLoss: the mean negative log-likelihood of the right classes.

#include "class_loss.hpp"

#include <ATen/ATen.h>

class NLLLoss : public losses::MeanLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "NLLLoss";
    static constexpr const char* summary = "Mean negative log-likelihood of the right classes";
    static constexpr const char* description =
        "loss = -(1/W) sum of w predictions[target], over the targets that count: those with a "
        "true mask (with use_masking) that are not ignore_index. w is the weight of the target's "
        "class times the weight of its sample, 1 without weights, and W the sum of w. If nothing "
        "counts, the loss and its gradient are 0. Predictions are log-probabilities, as a model "
        "with a log-softmax returns them; a positive one of a target is refused. For raw scores "
        "take CrossEntropyLoss. The loss of a set is the mean over all of its targets that count.";

    static constexpr std::array ports =
        losses::class_ports("Log-probability of each class", "log_probabilities");
    static constexpr std::array globals{losses::kIgnoreIndex};
    static constexpr std::array requirements{losses::kClassWeights, losses::kSeveralClasses};
    using Config = losses::ClassConfig;

    NLLLoss(const Config& config, ptp::Setup& setup) : batches_(config, setup) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor* predictions,
                       const at::Tensor* first_predictions, const at::Tensor* masks,
                       const at::Tensor* sample_weights) {
        const losses::ClassBatch batch =
            batches_.of({targets, predictions, first_predictions, {masks, sample_weights}});
        const at::Tensor each = at::nll_loss(batch.scores, batch.targets, batch.class_weights,
                                             at::Reduction::None, batches_.ignore_index());
        check(batch, each);
        return batch.mean(each, mean_);
    }

private:
    // Checks the gathered log-probabilities of the targets, unless class weights are applied.
    static void check(const losses::ClassBatch& batch, const at::Tensor& each) {
        constexpr double kRounding = 0.01;  // a probability of 1 in bfloat16 may be that much more
        if (each.numel() == 0) {
            return;
        }
        const double highest =
            batch.class_weights.defined()
                ? batch.scores.detach().gather(1, batch.classes.unsqueeze(1)).max().item<double>()
                : -lowest(each);
        if (highest > kRounding) {
            throw ptp::ConfigError(
                "predictions must be log-probabilities, which are 0 or less, but a target's is ",
                highest,
                "; let the model end with a log-softmax (use_logsoftmax = true), or take "
                "CrossEntropyLoss, which takes raw scores");
        }
    }

    // Returns the lowest value, nan if there is one. For a small batch this is faster than a call
    // of libtorch.
    static double lowest(const at::Tensor& each) {
        constexpr int64_t kMaxNumbers = 1 << 14;
        if (!each.is_cpu() || each.scalar_type() != at::kFloat || !each.is_contiguous() ||
            each.numel() > kMaxNumbers) {
            return each.detach().min().item<double>();
        }
        const auto* first = each.data_ptr<float>();
        float result = *first;
        for (int64_t i = 1; i < each.numel() && result == result; ++i) {
            result = first[i] >= result ? result : first[i];
        }
        return result;
    }

    losses::ClassBatches batches_;
};

template const ptp_component_info& ptp::component<NLLLoss>();
