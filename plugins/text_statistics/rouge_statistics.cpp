// ROUGEStatistics: ROUGE-L, the share of a sentence that is in another in the same order.
//
// Lin: ROUGE: a package for automatic evaluation of summaries, 2004, with beta = 1, as in Google's
// rouge_score ("rougeL").

#include "edits.hpp"

#include <ptp/component.hpp>

class ROUGEStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "ROUGEStatistics";
    static constexpr const char* summary = "ROUGE-L of predicted sentences";
    static constexpr const char* description =
        "With l the words of the longest common subsequence of a prediction and its target: "
        "precision = l / words of the prediction, recall = l / words of the target, and rouge_l is "
        "their harmonic mean (beta = 1 in Lin 2004). Each is 0 where its denominator is. They are "
        "means over sentences, those of a set over all of its sentences; rouge_score's rougeL, "
        "without stemming.\n"
        "Sentences are lists of words (use_tokens), indices of a vocabulary, or scores of its "
        "words: the highest is the prediction, the first of equal ones, and nan among them a word "
        "that is never right. What follows the first of end_words is left out, and then "
        "ignored_words are.";

    static constexpr std::array ports = sentences::kPorts;
    static constexpr std::array globals{sentences::kWordMappings};
    static constexpr std::array statistics{
        ptp::mean("rouge_l", "Harmonic mean of precision and recall")
            .decimals(6)
            .spread()
            .larger_is_better(),
        ptp::mean("rouge_l_precision", "Share of predicted words in the common subsequence")
            .decimals(6)
            .larger_is_better(),
        ptp::mean("rouge_l_recall", "Share of the target's words in it")
            .decimals(6)
            .larger_is_better()};
    using Config = sentences::SentenceConfig;

    ROUGEStatistics(const Config& config, ptp::Setup& setup) : reader_(config, setup) {}

    void forward(const at::Tensor* target_indices, const ptp::TokenLists* target_tokens,
                 const at::Tensor* scores, const at::Tensor* indices,
                 const ptp::TokenLists* tokens) {
        batch_ = {};
        const std::vector<sentences::Pair> pairs =
            reader_.read({target_indices, target_tokens, scores, indices, tokens});
        for (const sentences::Pair& pair : pairs) {
            const auto common = static_cast<double>(sentences::longest_common_subsequence(pair));
            const double precision = share(common, pair.prediction.size());
            const double recall = share(common, pair.target.size());
            batch_[0] += common == 0 ? 0 : 2 * precision * recall / (precision + recall);
            batch_[1] += precision;
            batch_[2] += recall;
        }
        for (double& value : batch_) {
            value = share(value, pairs.size());
        }
    }

    std::array<double, 3> collect(uint64_t) const { return batch_; }

private:
    static double share(double part, std::size_t whole) {
        return whole == 0 ? 0 : part / static_cast<double>(whole);
    }

    sentences::Reader reader_;
    std::array<double, 3> batch_{};
};

template const ptp_component_info& ptp::component<ROUGEStatistics>();
