// PerplexityStatistics: the number of equally likely words with the same uncertainty as the model.
//
// Jelinek, Mercer, Bahl and Baker: Perplexity, a measure of the difficulty of speech recognition
// tasks, 1977; base e, over tokens, as language models report it.

#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

class PerplexityStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "PerplexityStatistics";
    static constexpr const char* summary = "Perplexity of a model of words, over the whole set";
    static constexpr const char* description =
        "perplexity = exp(-(sum of log p) / N), where p is the probability of a target and N the "
        "number of targets that count: those that are not ignore_index and, with use_masking, have "
        "a true mask. Predictions are scores or log-probabilities; a softmax makes probabilities "
        "of both. That of a set is over all of its targets that count, added up in doubles, and "
        "not a mean over its batches; nan where none counts.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1", "The right words")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, classes",
                   "A score or log-probability for each word"),
        ptp::input("masks", PTP_BOOL, "B, n^$num_masks_dims-1",
                   "True for what counts: samples, or parts of them")
            .when("use_masking")};
    static constexpr std::array globals{
        ptp::reads_if_named("ignore_index",
                            "Targets of this value do not count, such as padding; "
                            "-100 if not named")
            .purpose(PTP_PURPOSE_IGNORED_TARGET)};
    static constexpr std::array requirements{
        ptp::requirement("$num_masks_dims <= $num_targets_dims", "must be at most num_targets_dims")
            .when("use_masking")};
    static constexpr std::array statistics{
        ptp::computed("perplexity", "exp of the mean negative log-likelihood of a target")
            .decimals(4)
            .weighted_by("support")
            .spread()
            .smaller_is_better(),
        ptp::sum("support", "Number of targets that counted").hidden().integer()};

    struct Config {
        int64_t num_targets_dims = 2;
        bool use_masking = false;
        int64_t num_masks_dims = 1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_targets_dims", &Config::num_targets_dims,
                             {.help = "Number of dimensions of the targets, the batch included",
                              .range = "[1, inf)"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only what has a true mask counts"}),
                ptp::setting("num_masks_dims", &Config::num_masks_dims,
                             {.help = "Number of dimensions of the masks, which are the first of "
                                      "the targets; 1 is a mask for each sample",
                              .range = "[1, inf)"})};
        }
    };

    PerplexityStatistics(const Config& config, ptp::Setup& setup)
        : ignore_index_(setup.optional_global<int64_t>("ignore_index").value_or(kIgnored)) {
        if (config.use_masking && config.num_masks_dims > config.num_targets_dims) {
            throw ptp::SettingError("num_masks_dims", "must be at most num_targets_dims, ",
                                    config.num_targets_dims);
        }
    }

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const at::Tensor* masks,
                 const ptp::Step& step) {
        const int64_t words = predictions.size(-1);
        ptp::support::require_sizes("targets", targets,
                                    predictions.sizes().slice(0, predictions.dim() - 1),
                                    "as predictions has for each class");
        const at::Tensor counts = counted(targets, masks);
        ptp::support::require_classes(
            {.name = "targets",
             .targets = targets,
             .counted = counts,
             .classes = words,
             .others = ", or " + std::to_string(ignore_index_) + ", which does not count"});
        const at::Tensor scores = predictions.detach().to(
            predictions.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
        const at::Tensor place =
            targets.to(at::kLong).masked_fill(counts.logical_not(), 0).unsqueeze(-1);
        // logsumexp(x) - x would lose digits by cancellation of large scores.
        const at::Tensor each =  // [B, ..., V] -> [B, ...]
            scores.log_softmax(-1).gather(-1, place).squeeze(-1).neg().to(at::kDouble);
        const at::Tensor sums =  // both at once, because each waits for the device
            at::stack(
                {each.masked_fill(counts.logical_not(), 0).sum(), counts.sum().to(at::kDouble)})
                .cpu();
        batch_ = {.loss = sums.data_ptr<double>()[0],
                  .targets = static_cast<int64_t>(sums.data_ptr<double>()[1])};
        Count& set = sets_[step.set()];
        set.loss += batch_.loss;
        set.targets += batch_.targets;
    }

    static constexpr auto state() { return ptp::kept(&PerplexityStatistics::sets_); }

    std::array<double, 2> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 2> aggregate(uint64_t set) { return numbers(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    static constexpr int64_t kIgnored = -100;

    struct Count {
        double loss = 0;  // sum of the negative log-likelihoods
        int64_t targets = 0;

        static constexpr auto state() {
            return std::tuple{ptp::kept("loss", &Count::loss),
                              ptp::kept("targets", &Count::targets)};
        }
    };

    static std::array<double, 2> numbers(const Count& count) {
        const auto targets = static_cast<double>(count.targets);
        return {count.targets == 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : std::exp(count.loss / targets),
                targets};
    }

    // Returns a bool for each target.
    at::Tensor counted(const at::Tensor& targets, const at::Tensor* masks) const {
        const at::Tensor counts = ptp::support::widened(targets).ne(ignore_index_);
        if (masks == nullptr) {
            return counts;
        }
        const auto dims = static_cast<std::size_t>(masks->dim());
        ptp::support::require_sizes("masks", *masks, targets.sizes().slice(0, dims),
                                    "the first that targets has");
        std::vector<int64_t> sizes(static_cast<std::size_t>(targets.dim()), 1);
        std::copy(masks->sizes().begin(), masks->sizes().end(), sizes.begin());
        return counts.logical_and(masks->reshape(sizes));
    }

    int64_t ignore_index_;
    Count batch_;
    ptp::BySet<Count> sets_;
};

template const ptp_component_info& ptp::component<PerplexityStatistics>();
