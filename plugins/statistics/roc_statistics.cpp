// ROCStatistics: how well scores separate classes, for any threshold.

#include "class_statistics.hpp"
#include "ranking.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

class ROCStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "ROCStatistics";
    static constexpr const char* summary = "Area under the ROC curve of a set";
    static constexpr const char* description =
        "The chance that a positive has a higher score than a negative, equal scores counting half "
        "(Mann-Whitney's U over the number of pairs), which is the area under the receiver "
        "operating characteristic. It is exact: the scores of a whole set are kept, 8 bytes each, "
        "and sorted at its end. mode = \"binary\" has one score for each sample and targets 0 "
        "and 1. mode = \"multiclass\" is the mean over the classes of each against all others; "
        "scores of a class are compared between samples, as probabilities: scores of a set that are "
        "neither in [0, 1] nor log-probabilities are taken through softmax first, as torchmetrics does. mode = \"multilabel\" is the mean over independent yes-or-no questions, each with a "
        "score and a 1 or a 0, such as the one of a loss of answers. A class that has no target in the set, or all of them, is left out; the area "
        "is nan if that leaves none, as in an empty set. With num_targets_dims above 1, samples have "
        "several targets, such as one for each step, which are ranked together. With use_masking "
        "only samples with a true mask count, or with num_masks_dims parts of them. A score of nan is an error. scikit-learn: roc_auc_score(average=\"macro\", "
        "multi_class=\"ovr\"). A single batch has no area.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1",
                   "The right classes; of two, 1 is the positive")
            .when("mode != multilabel")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("targets", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
                   "1 for each class of a sample, else 0; of shares those above 0.5 count")
            .when("mode = multilabel")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1",
                   "A score, higher for positives")
            .when("mode = binary"),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
                   "A score for each class")
            .when("mode = multiclass"),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
                   "A score for each class, higher for yes")
            .when("mode = multilabel")
            .meaning("scores|probabilities|log_probabilities|values"),
        measures::kMasks};
    static constexpr std::array globals{measures::kIgnoreIndex.when("mode != multilabel")};
    static constexpr std::array requirements{measures::kMasksDims};
    static constexpr std::array statistics{
        ptp::computed("auc", "Area under the ROC curve").decimals(6).set_only().larger_is_better()};

    enum class Mode { kBinary, kMulticlass, kMultilabel };
    struct Config : measures::MaskConfig {
        Mode mode = Mode::kBinary;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("mode", &Config::mode,
                                        {.help = "Whether there are two classes and one score, a "
                                                 "score for each class, or independent classes",
                                         .choices = "binary|multiclass|multilabel"})},
                MaskConfig::settings());
        }
    };

    ROCStatistics(const Config& config, ptp::Setup& setup)
        : ignore_index_(setup.optional_global<int64_t>("ignore_index")) {
        measures::check_masks_dims(config);
    }

    void forward(const at::Tensor* targets, const at::Tensor* answers, const at::Tensor* scores,
                 const at::Tensor* class_scores, const at::Tensor* answer_scores,
                 const at::Tensor* masks, const ptp::Step& step) {
        if (answers != nullptr) {
            add_answers(sets_[step.set()], *answers, *answer_scores, masks);
            return;
        }
        // [B, ...] -> [B, ..., 1]
        const at::Tensor all = scores != nullptr ? scores->unsqueeze(-1) : *class_scores;
        const at::Tensor counts =
            measures::counted({*targets, &all, nullptr, masks}, ignore_index_);
        const int64_t classes = scores != nullptr ? 2 : all.size(-1);
        ptp::support::require_classes({.name = "targets",
                                       .targets = *targets,
                                       .counted = counts,
                                       .classes = classes,
                                       .others = ""});
        const at::Tensor shown = scores != nullptr ? *scores : all;
        require_numbers(shown, scores != nullptr ? counts : counts.unsqueeze(-1));
        add(sets_[step.set()], targets->masked_select(counts),
            all.index({counts}));  // [B, ..., C] -> [n, C]
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return sets_.save(); }
    void import_state(uint32_t, const ptp::Data& state) { sets_.restore(state); }

    std::array<double, 1> aggregate(uint64_t number) {
        Set& set = sets_[number];
        if (!set.area) {
            set.area = area(set);
        }
        return {*set.area};
    }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    struct Set {
        int64_t width = 0;             // number of scores of a sample; 0 before the first
        std::vector<int64_t> targets;  // [n]; [n, width] of independent classes
        std::vector<double> scores;    // [n, width], row by row
        std::optional<double> area;    // of these, once computed

        ptp::Data save() const { return ptp::Data::List{width, targets, scores}; }
        static Set restored(const ptp::Data& saved) {
            const ptp::Data::List& parts = saved.as_list();
            Set set;
            set.width = parts.at(0).as_integer();
            for (const ptp::Data& target : parts.at(1).as_list()) {
                set.targets.push_back(target.as_integer());
            }
            for (const ptp::Data& score : parts.at(2).as_list()) {
                set.scores.push_back(score.as_real());
            }
            return set;
        }
    };

    static void require_numbers(const at::Tensor& scores, const at::Tensor& counts) {
        ptp::support::require_none(scores.isnan().logical_and(counts), "predictions", scores,
                                   "be a number, to be ranked");
    }

    static void add_answers(Set& set, const at::Tensor& answers, const at::Tensor& scores,
                            const at::Tensor* masks) {
        ptp::support::require_sizes("targets", answers, scores.sizes(), "as predictions has");
        // [B, ...], without the classes
        const at::Tensor counts =
            measures::counted({answers.select(-1, 0), &scores, nullptr, masks}, std::nullopt);
        const at::Tensor each = counts.unsqueeze(-1);
        ptp::support::require_none(
            answers.ge(0).logical_and(answers.le(1)).logical_not().logical_and(each), "targets",
            answers, "be in [0, 1]");
        require_numbers(scores, each);
        add(set, answers.index({counts}).gt(0.5), scores.index({counts}));  // [n, C]
    }

    static void add(Set& set, const at::Tensor& targets, const at::Tensor& scores) {
        const at::Tensor numbers = targets.to(at::kCPU, at::kLong).contiguous();
        const at::Tensor values = scores.to(at::kCPU, at::kDouble).contiguous();
        if (set.width != 0 && set.width != values.size(1)) {
            throw ptp::DataError("predictions has scores for ", values.size(1),
                                 " classes, earlier ones of the set for ", set.width);
        }
        set.width = values.size(1);
        set.area.reset();
        const auto* number = numbers.data_ptr<int64_t>();
        const auto* value = values.data_ptr<double>();
        set.targets.insert(set.targets.end(), number, number + numbers.numel());
        set.scores.insert(set.scores.end(), value, value + values.numel());
    }

    static double area(const Set& set) {
        if (set.width == 1) {
            return of_class(set, set.scores, 0, 1);
        }
        const bool are_answers = set.targets.size() == set.scores.size();
        const bool are_raw = !are_answers && measures::are_raw(set.scores, set.width);
        const std::vector<double> scores =
            are_raw ? measures::probabilities(set.scores, set.width) : set.scores;
        double sum = 0;
        int64_t count = 0;
        for (int64_t i = 0; i < set.width; ++i) {
            const double one = of_class(set, scores, i, are_answers ? 1 : i);
            if (!std::isnan(one)) {
                sum += one;
                ++count;
            }
        }
        return count == 0 ? std::numeric_limits<double>::quiet_NaN()
                          : sum / static_cast<double>(count);
    }

    // Returns the area for a column of the scores, for the class `positive` against all others.
    static double of_class(const Set& set, const std::vector<double>& scores, int64_t column,
                           int64_t positive) {
        const auto width = static_cast<size_t>(set.width);
        const size_t samples = width == 0 ? 0 : scores.size() / width;
        std::vector<measures::Ranked> ranked;
        ranked.reserve(samples);
        for (size_t i = 0; i < samples; ++i) {
            const size_t place = i * width + static_cast<size_t>(column);
            const size_t target = set.targets.size() == samples ? i : place;
            ranked.push_back({scores[place], set.targets[target] == positive});
        }
        return measures::area_under_roc(std::move(ranked));
    }

    std::optional<int64_t> ignore_index_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<ROCStatistics>();
