// CalibrationStatistics: how far the confidence of predictions is the share of right ones.

#include "class_statistics.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

class CalibrationStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "CalibrationStatistics";
    static constexpr const char* summary = "Expected calibration error of a set";
    static constexpr const char* description =
        "The confidence of a prediction is its highest probability. Predictions are put into bins "
        "by confidence; the error of a bin is the distance of its mean confidence from its share "
        "of right predictions. ece is the mean error over bins, weighted by their predictions, and "
        "max_calibration_error the largest one, with bins of equal width: bin i of n has "
        "confidences in (i / n, (i + 1) / n], and the first one 0, too. ece_equal_mass has the "
        "quantiles of all confidences as edges instead, interpolated linearly, so that each bin "
        "has about as many. Both are as the bins of scikit-learn's calibration_curve. They are "
        "exact: the confidences of a whole set are kept, 8 bytes each. Of equal highest scores the "
        "first counts. A target of -100, which represents a label that is not in a vocabulary, is "
        "a wrong prediction. With use_masking only what has a true mask counts. A score of nan is "
        "an error. The values are nan for a set without predictions; a single batch has none.\n"
        "Guo et al. 2017, On calibration of modern neural networks, arXiv 1706.04599.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1", "The right classes")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
                   "Logits or log-probabilities of the classes")
            .when("!use_probabilities")
            .meaning("scores|log_probabilities|values"),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
                   "Probabilities of the classes")
            .when("use_probabilities")
            .meaning("probabilities|values"),
        measures::kMasks};
    static constexpr std::array globals{measures::kIgnoreIndex};
    static constexpr std::array requirements{measures::kMasksDims};
    static constexpr std::array statistics{
        ptp::computed("ece", "Expected calibration error, bins of equal width")
            .decimals(6)
            .set_only()
            .smaller_is_better(),
        ptp::computed("ece_equal_mass", "Expected calibration error, bins of equal counts")
            .decimals(6)
            .set_only()
            .smaller_is_better(),
        ptp::computed("max_calibration_error", "Largest calibration error of a bin of equal width")
            .decimals(6)
            .set_only()
            .smaller_is_better()};

    struct Config : measures::MaskConfig {
        int64_t bins = 15;
        bool use_probabilities = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("bins", &Config::bins,
                                        {.help = "Number of bins", .range = "[1, inf)"}),
                           ptp::setting("use_probabilities", &Config::use_probabilities,
                                        {.help = "Whether predictions are probabilities, instead "
                                                 "of scores that a softmax makes so"})},
                MaskConfig::settings());
        }
    };

    CalibrationStatistics(const Config& config, ptp::Setup& setup)
        : bins_(config.bins), ignore_index_(setup.optional_global<int64_t>("ignore_index")) {
        measures::check_masks_dims(config);
    }

    void forward(const at::Tensor& targets, const at::Tensor* scores,
                 const at::Tensor* probabilities, const at::Tensor* masks, const ptp::Step& step) {
        const at::Tensor& given = scores != nullptr ? *scores : *probabilities;
        const at::Tensor counts =
            measures::counted({targets, &given, nullptr, masks}, ignore_index_);
        ptp::support::require_classes(
            {.name = "targets",
             .targets = targets,
             .counted = counts.logical_and(targets.ne(measures::kNoClass)),
             .classes = given.size(-1),
             .others = measures::kOtherTargets});
        ptp::support::require_none(given.isnan().logical_and(counts.unsqueeze(-1)), "predictions",
                                   given, "be a number");
        const at::Tensor rows = given.index({counts}).to(at::kDouble);  // [B, ..., C] -> [n, C]
        if (rows.size(0) == 0) {
            return;
        }
        const at::Tensor shares = scores != nullptr ? rows.softmax(-1) : rows;
        ptp::support::require_none(shares.isnan(), "the softmax of predictions", shares,
                                   "be a number: one is inf, or all are -inf");
        const auto [highest, first] = shares.max(-1);
        if (scores == nullptr) {
            ptp::support::require_none(shares.ge(0).logical_and(shares.le(1)).logical_not(),
                                       "predictions", shares, "be in [0, 1]");
        }
        add(sets_[step.set()], highest.cpu().contiguous(),
            first.eq(targets.masked_select(counts)).to(at::kLong).cpu().contiguous());
    }

    static constexpr auto state() { return ptp::kept(&CalibrationStatistics::sets_); }

    std::array<double, 3> collect(uint64_t) const { return {}; }
    std::array<double, 3> aggregate(uint64_t number) {
        const Set& set = sets_[number];
        if (set.confidences.empty()) {
            constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
            return {kNone, kNone, kNone};
        }
        const Errors equal_width = errors(set, equal_width_edges());
        return {equal_width.mean, errors(set, quantiles(set.confidences)).mean,
                equal_width.largest};
    }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    struct Set {
        std::vector<double> confidences;
        std::vector<bool> are_right;

        static constexpr auto state() {
            return std::tuple{ptp::kept("confidences", &Set::confidences),
                              ptp::kept("are_right", &Set::are_right)};
        }
    };

    struct Errors {
        double mean = 0;
        double largest = 0;
    };

    static void add(Set& set, const at::Tensor& confidences, const at::Tensor& are_right) {
        const auto* confidence = confidences.data_ptr<double>();
        const auto* right = are_right.data_ptr<int64_t>();
        set.confidences.insert(set.confidences.end(), confidence, confidence + confidences.numel());
        set.are_right.insert(set.are_right.end(), right, right + are_right.numel());
    }

    // Returns the edges between the bins, without the outer ones.
    [[nodiscard]] std::vector<double> equal_width_edges() const {
        std::vector<double> edges;
        for (int64_t i = 1; i < bins_; ++i) {
            edges.push_back(static_cast<double>(i) / static_cast<double>(bins_));
        }
        return edges;
    }

    [[nodiscard]] std::vector<double> quantiles(std::vector<double> confidences) const {
        std::ranges::sort(confidences);
        std::vector<double> edges;
        for (int64_t i = 1; i < bins_; ++i) {
            const double place = static_cast<double>(i) / static_cast<double>(bins_) *
                                 static_cast<double>(confidences.size() - 1);
            const auto below = static_cast<std::size_t>(place);
            const std::size_t above = std::min(below + 1, confidences.size() - 1);
            edges.push_back(std::lerp(confidences[below], confidences[above],
                                      place - static_cast<double>(below)));
        }
        return edges;
    }

    // A confidence that equals an edge is in the bin below it.
    static Errors errors(const Set& set, const std::vector<double>& edges) {
        std::vector<double> differences(edges.size() + 1);  // confidences minus right ones
        std::vector<double> counts(edges.size() + 1);
        for (std::size_t i = 0; i < set.confidences.size(); ++i) {
            const auto edge = std::ranges::lower_bound(edges, set.confidences[i]);
            const auto bin = static_cast<std::size_t>(edge - edges.begin());
            differences[bin] += set.confidences[i] - (set.are_right[i] ? 1 : 0);
            counts[bin] += 1;
        }
        Errors result;
        for (std::size_t bin = 0; bin < counts.size(); ++bin) {
            const double distance = std::abs(differences[bin]);
            result.mean += distance / static_cast<double>(set.confidences.size());
            result.largest = std::max(result.largest, counts[bin] > 0 ? distance / counts[bin] : 0);
        }
        return result;
    }

    int64_t bins_;
    std::optional<int64_t> ignore_index_;
    ptp::BySet<Set> sets_;
};

template const ptp_component_info& ptp::component<CalibrationStatistics>();
