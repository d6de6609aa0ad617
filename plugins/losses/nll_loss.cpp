// NLLLoss: the mean negative log-likelihood of the right classes.

#include <ptp/plugin.hpp>

#include <ATen/core/Reduction.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

class NLLLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "NLLLoss";
    static constexpr const char* summary = "Mean negative log-likelihood of the right classes";
    static constexpr const char* description =
        "loss = -(1/N) sum of predictions[target], over the N targets that count: those of "
        "samples whose mask is true (with use_masking) and which are not ignore_index. If none "
        "counts, the loss is 0. Predictions are log-probabilities, as a model with a log-softmax "
        "gives them. The loss of a set is the mean over all its targets that count.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1", "The right classes"),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, classes",
                   "Log-probability of each class"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking"),
        ptp::output("loss", PTP_FLOAT, "", "Mean over the targets that count").loss()};
    static constexpr std::array globals{ptp::reads_if_named(
        "ignore_index", "Targets of this value do not count, such as padding; -100 if not named")};

    static constexpr std::array statistics{
        ptp::sum("loss_weight", "Number of targets that counted").hidden().integer()};

    struct Config {
        int64_t num_targets_dims = 1;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_targets_dims", &Config::num_targets_dims,
                             {.help = "Number of dimensions of the targets, the batch included",
                              .range = "[1, inf)"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only samples with a true mask count"})};
        }
    };

    NLLLoss(const Config&, ptp::Setup& setup)
        : ignore_index_(setup.optional_global<int64_t>("ignore_index").value_or(-100)) {}

    at::Tensor forward(const at::Tensor& targets, const at::Tensor& predictions,
                       const at::Tensor* masks) {
        at::Tensor wanted = targets;
        if (masks != nullptr) {
            std::vector<int64_t> shape(static_cast<size_t>(targets.dim()), 1);
            shape[0] = targets.size(0);
            const at::Tensor ignored = at::scalar_tensor(ignore_index_, targets.options());
            wanted = at::where(masks->reshape(shape), targets, ignored);
        }
        wanted = wanted.reshape(-1);  // [B, ...] -> [N]
        const at::Tensor scores = predictions.reshape({-1, predictions.size(-1)});  // -> [N, C]
        const at::Tensor sum = at::nll_loss(scores, wanted, {}, at::Reduction::Sum, ignore_index_);
        counted_ = wanted.ne(ignore_index_).sum();
        return sum / counted_.clamp_min(1);
    }

    std::array<double, 1> collect(uint64_t) const { return {counted_.item<double>()}; }

private:
    int64_t ignore_index_;
    at::Tensor counted_;  // targets of the last batch, a single number
};

PTP_PLUGIN("losses", "0.1.0", NLLLoss);
