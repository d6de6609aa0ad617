// MultiLabelStatistics: how well independent yes-or-no scores match samples with several classes.

#include "ranking.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

class MultiLabelStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "MultiLabelStatistics";
    static constexpr const char* summary =
        "F1 scores, exact matches and mean average precision of samples with several classes";
    static constexpr const char* description =
        "Each class is a yes-or-no question: a sample is predicted to have it if its probability, "
        "the sigmoid of the score, is above `threshold`. exact_match is the share of samples with "
        "all classes right, hamming_loss the share of wrong answers. f1score_micro is the F1 score "
        "of all answers together, 2 TP / (2 TP + FP + FN); f1score_macro is the mean of the "
        "classes' own, without classes that are neither among targets nor predictions; both are 0 "
        "where there is nothing to divide by. mean_average_precision is the mean over the classes "
        "of the area below precision over recall, without classes that no sample has; it needs no "
        "threshold, and nan is its value for a set without any. It is exact: the scores of a whole "
        "set are kept, 8 bytes each. These are scikit-learn's accuracy_score, hamming_loss, "
        "f1_score and average_precision_score, where each class occurs. A set's values are computed from all of its "
        "samples, not as means over its batches. With use_masking only samples with a true mask "
        "count; where none does, hamming_loss is nan, and those for which larger is better are 0. A score of nan is an error.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_FLOAT, "B, num_classes",
                   "1 for each class of a sample, else 0; of shares those above 0.5 count")
            .purpose(PTP_PURPOSE_TARGETS)
            .meaning("probabilities|values"),
        ptp::input("predictions", PTP_FLOAT, "B, num_classes", "A logit for each class")
            .when("!use_probabilities")
            .meaning("scores|values"),
        ptp::input("predictions", PTP_FLOAT, "B, num_classes", "A probability for each class")
            .when("use_probabilities")
            .meaning("probabilities|values"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking")};
    static constexpr std::array statistics{
        ptp::computed("exact_match", "Share of samples with all classes right").larger_is_better(),
        ptp::computed("hamming_loss", "Share of wrong answers").smaller_is_better(),
        ptp::computed("f1score_micro", "F1 score of all answers together").larger_is_better(),
        ptp::computed("f1score_macro", "Mean of the classes' F1 scores").larger_is_better(),
        ptp::computed("mean_average_precision", "Mean of the classes' average precisions")
            .set_only()
            .larger_is_better()};

    struct Config {
        double threshold = 0.5;
        bool use_probabilities = false;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("threshold", &Config::threshold,
                             {.help = "Probability above which a sample is predicted to have a "
                                      "class",
                              .range = "[0, 1]"}),
                ptp::setting("use_probabilities", &Config::use_probabilities,
                             {.help = "Whether predictions are probabilities, instead of logits"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only samples with a true mask count"})};
        }
    };

    explicit MultiLabelStatistics(const Config& config)
        : threshold_(config.threshold), are_probabilities_(config.use_probabilities) {}

    void forward(const at::Tensor& targets, const at::Tensor* logits,
                 const at::Tensor* probabilities, const at::Tensor* masks, const ptp::Step& step) {
        const at::Tensor& given = are_probabilities_ ? *probabilities : *logits;
        ptp::support::require_sizes("targets", targets, given.sizes(), "as predictions has");
        const at::Tensor counts =
            masks != nullptr ? *masks
                             : at::ones({targets.size(0)}, given.options().dtype(at::kBool));
        ptp::support::require_sizes("masks", counts, targets.sizes().slice(0, 1), "as targets has");
        const at::Tensor shares = targets.index({counts});  // [B, C] -> [n, C]
        const at::Tensor scores = given.index({counts}).to(at::kDouble);
        ptp::support::require_none((shares.ge(0).logical_and(shares.le(1))).logical_not(),
                                   "targets", shares, "be in [0, 1]");
        const at::Tensor wanted = shares.gt(0.5).to(shares.scalar_type());
        ptp::support::require_none(scores.isnan(), "predictions", scores, "be a number");
        batch_ = Set();
        add(batch_, wanted, scores);
        add(sets_[step.set()], wanted, scores);
    }

    static constexpr auto state() { return ptp::kept(&MultiLabelStatistics::sets_); }

    std::array<double, 5> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 5> aggregate(uint64_t number) {
        Set& set = sets_[number];
        std::array<double, 5> all = numbers(set);
        all[4] = mean_average_precision(set);
        return all;
    }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    struct Set {
        int64_t classes = 0;         // 0 before the first batch
        std::vector<bool> targets;   // [n, classes], row by row
        std::vector<double> scores;  // [n, classes]

        static constexpr auto state() {
            return std::tuple{ptp::kept("classes", &Set::classes),
                              ptp::kept("targets", &Set::targets),
                              ptp::kept("scores", &Set::scores)};
        }
    };

    static void add(Set& set, const at::Tensor& targets, const at::Tensor& scores) {
        if (set.classes != 0 && set.classes != scores.size(1)) {
            throw ptp::DataError("predictions has scores for ", scores.size(1),
                                 " classes, earlier ones of the set for ", set.classes);
        }
        set.classes = scores.size(1);
        const at::Tensor flags = targets.ne(0).cpu().contiguous();
        const at::Tensor numbers = scores.cpu().contiguous();
        const auto* flag = flags.data_ptr<bool>();
        const auto* number = numbers.data_ptr<double>();
        set.targets.insert(set.targets.end(), flag, flag + flags.numel());
        set.scores.insert(set.scores.end(), number, number + numbers.numel());
    }

    // Counts of the answers for one class, or for all.
    struct Counts {
        double right_yes = 0;
        double wrong = 0;

        [[nodiscard]] bool is_empty() const { return right_yes + wrong == 0; }
        [[nodiscard]] double f1score() const {
            return is_empty() ? 0 : 2 * right_yes / (2 * right_yes + wrong);
        }
    };

    [[nodiscard]] bool is_yes(double score) const {
        return (are_probabilities_ ? score : 1 / (1 + std::exp(-score))) > threshold_;
    }

    [[nodiscard]] std::array<double, 5> numbers(const Set& set) const {
        const auto classes = static_cast<size_t>(set.classes);
        if (set.scores.empty()) {
            return {0, std::numeric_limits<double>::quiet_NaN()};  // 0 would be the best
        }
        std::vector<Counts> counts(classes);
        double exact = 0;
        for (size_t begin = 0; begin < set.scores.size(); begin += classes) {
            bool is_exact = true;
            for (size_t i = 0; i < classes; ++i) {
                const bool is_right = is_yes(set.scores[begin + i]) == set.targets[begin + i];
                counts[i].wrong += is_right ? 0 : 1;
                counts[i].right_yes += is_right && set.targets[begin + i] ? 1 : 0;
                is_exact = is_exact && is_right;
            }
            exact += is_exact ? 1 : 0;
        }
        Counts all;
        double macro = 0;
        double shown = 0;  // classes that are among targets or predictions
        for (const Counts& one : counts) {
            all.right_yes += one.right_yes;
            all.wrong += one.wrong;
            macro += one.f1score();
            shown += one.is_empty() ? 0 : 1;
        }
        const auto answers = static_cast<double>(set.scores.size());
        return {exact * static_cast<double>(classes) / answers, all.wrong / answers, all.f1score(),
                shown == 0 ? 0 : macro / shown, 0};
    }

    static double mean_average_precision(const Set& set) {
        double sum = 0;
        double count = 0;
        for (size_t i = 0; i < static_cast<size_t>(set.classes); ++i) {
            std::vector<measures::Ranked> ranked;
            for (size_t at = i; at < set.scores.size(); at += static_cast<size_t>(set.classes)) {
                ranked.push_back({set.scores[at], set.targets[at]});
            }
            const double one = measures::average_precision(std::move(ranked));
            if (!std::isnan(one)) {
                sum += one;
                count += 1;
            }
        }
        return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / count;
    }

    double threshold_;
    bool are_probabilities_;
    Set batch_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<MultiLabelStatistics>();
