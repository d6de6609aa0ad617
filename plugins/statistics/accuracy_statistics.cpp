// AccuracyStatistics: the share of correct predictions.

#include "class_statistics.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

class AccuracyStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "AccuracyStatistics";
    static constexpr const char* summary = "Share of targets that are predicted right";
    static constexpr const char* description =
        "A prediction is right if the target is among the top_k classes with the highest scores, "
        "of equal ones the first; or, with use_prediction_distributions = false, if it is the "
        "target. A score that is nan makes the prediction wrong, and so does a target of -100, "
        "which represents a label that is not in a vocabulary. With use_masking only what has a "
        "true mask counts: samples or, with num_masks_dims, parts of them; a batch in which "
        "nothing counts has accuracy 0 and weight 0. The accuracy of a set is the accuracy over "
        "all its targets, not the mean over its batches; 0 if there are none.";

    static constexpr std::array ports = measures::kClassPorts;
    static constexpr std::array globals{measures::kIgnoreIndex};
    static constexpr std::array requirements{
        measures::kMasksDims,
        ptp::requirement("$top_k = 1 or $use_prediction_distributions",
                         "needs scores: use_prediction_distributions must be true"),
        ptp::requirement("$top_k <= num_classes", "must be at most the number of classes")};
    static constexpr std::array statistics{
        ptp::computed("accuracy", "Share of right predictions")
            .decimals(6)
            .weighted_by("support")
            .spread(),
        ptp::sum("support", "Number of targets that counted").hidden().integer()};

    struct Config : measures::ClassConfig {
        int64_t top_k = 1;

        static constexpr auto settings() {
            return std::tuple_cat(
                ClassConfig::settings(),
                std::tuple{ptp::setting("top_k", &Config::top_k,
                                        {.help = "Among how many of the highest scores the target "
                                                 "must be",
                                         .range = "[1, inf)"})});
        }
    };

    AccuracyStatistics(const Config& config, ptp::Setup& setup)
        : top_k_(config.top_k), ignore_index_(setup.optional_global<int64_t>("ignore_index")) {
        measures::check_masks_dims(config);
        if (top_k_ > 1 && !config.use_prediction_distributions) {
            throw ptp::ConfigError("top_k = ", top_k_,
                                   " needs scores: use_prediction_distributions must be true");
        }
        if (const auto classes = setup.optional_size("num_classes")) {
            check_top_k(*classes);
        }
    }

    void forward(const at::Tensor& targets, const at::Tensor* scores, const at::Tensor* classes,
                 const at::Tensor* masks, const ptp::Step& step) {
        if (scores != nullptr && masks == nullptr && all_count(targets, *scores)) {
            add(count_hits(targets, *scores), targets.numel(), step);
            return;
        }
        const at::Tensor counts =
            measures::counted({targets, scores, classes, masks}, ignore_index_);
        const at::Tensor is_hit =
            scores != nullptr ? hits(targets, *scores, counts)
                              : classes->eq(targets).logical_and(targets.ne(measures::kNoClass));
        const at::Tensor sums =  // both at once, because each waits for the device
            at::stack({is_hit.logical_and(counts).sum(), counts.sum()}).cpu();
        add(sums.data_ptr<int64_t>()[0], sums.data_ptr<int64_t>()[1], step);
    }

    static constexpr uint32_t state_version = 2;
    static constexpr auto state() { return ptp::kept(&AccuracyStatistics::sets_); }

    std::array<double, 2> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 2> aggregate(uint64_t set) { return numbers(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    struct Count {
        int64_t hits = 0;
        int64_t samples = 0;

        static constexpr auto state() {
            return std::tuple{ptp::kept("hits", &Count::hits),
                              ptp::kept("samples", &Count::samples)};
        }
    };

    static std::array<double, 2> numbers(const Count& count) {
        const auto samples = static_cast<double>(count.samples);
        return {count.samples == 0 ? 0.0 : static_cast<double>(count.hits) / samples, samples};
    }

    void add(int64_t hits, int64_t samples, const ptp::Step& step) {
        batch_ = {hits, samples};
        Count& set = sets_[step.set()];
        set.hits += hits;
        set.samples += samples;
    }

    // Returns whether it is a usual batch, which is counted faster than by calls of libtorch: on
    // the CPU, with a class for each target.
    bool all_count(const at::Tensor& targets, const at::Tensor& scores) const {
        constexpr int64_t kMaxNumbers = 1 << 16;  // libtorch distributes more among its threads
        return top_k_ == 1 && !ignore_index_ && scores.is_cpu() && targets.is_cpu() &&
               scores.scalar_type() == at::kFloat && targets.scalar_type() == at::kLong &&
               scores.is_contiguous() && targets.is_contiguous() && scores.numel() <= kMaxNumbers &&
               scores.dim() > 0 && scores.size(-1) > 0 &&
               targets.sizes() == scores.sizes().slice(0, scores.sizes().size() - 1) &&
               ptp::support::are_classes(targets, scores.size(-1));
    }

    static int64_t count_hits(const at::Tensor& targets, const at::Tensor& scores) {
        const int64_t classes = scores.size(-1);
        const auto* target = targets.data_ptr<int64_t>();
        const auto* row = scores.data_ptr<float>();
        int64_t hits = 0;
        for (int64_t i = 0; i < targets.numel(); ++i, row += classes) {
            const float score = row[target[i]];
            const auto* place = row + target[i];
            // The comparisons are false for nan.
            const bool is_first =
                std::all_of(row, place, [score](float other) { return other < score; });
            hits += is_first && score == score &&
                            std::all_of(place, row + classes,
                                        [score](float other) { return other <= score; })
                        ? 1
                        : 0;
        }
        return hits;
    }

    void check_top_k(int64_t classes) const {
        if (top_k_ > classes) {
            throw ptp::ConfigError("top_k = ", top_k_, ": must be at most ", classes,
                                   ", the number of classes");
        }
    }

    // Returns whether fewer than top_k classes precede the target: those with a higher score, and
    // those with an equal one and a smaller number.
    at::Tensor hits(const at::Tensor& targets, const at::Tensor& scores,
                    const at::Tensor& counts) const {
        const int64_t classes = scores.size(-1);
        check_top_k(classes);
        const at::Tensor is_known = targets.ne(measures::kNoClass);
        ptp::support::require_classes({.name = "targets",
                                       .targets = targets,
                                       .counted = counts.logical_and(is_known),
                                       .classes = classes,
                                       .others = measures::kOtherTargets});
        if (top_k_ == 1) {
            // Takes the first of equal scores, and nan if there is one: the same result, faster.
            const auto [highest, first] = scores.max(-1);
            return first.eq(targets).logical_and(highest.eq(highest));
        }
        const at::Tensor place = targets.to(at::kLong).clamp(0, classes - 1).unsqueeze(-1);
        const at::Tensor score = scores.gather(-1, place);  // [B, ..., C] -> [B, ..., 1]
        const at::Tensor is_before = at::arange(classes, place.options()).lt(place);
        const at::Tensor before =
            scores.gt(score).logical_or(scores.eq(score).logical_and(is_before)).sum(-1);
        const at::Tensor is_number = scores.eq(scores).all(-1);
        return before.lt(top_k_).logical_and(is_known).logical_and(is_number);
    }

    int64_t top_k_;
    std::optional<int64_t> ignore_index_;
    Count batch_;
    ptp::BySet<Count> sets_;
};

template const ptp_component_info& ptp::component<AccuracyStatistics>();
