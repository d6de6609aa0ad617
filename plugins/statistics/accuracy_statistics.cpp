// AccuracyStatistics: the share of correct predictions.

#include "class_statistics.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

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
            .spread()
            .larger_is_better(),
        ptp::sum("support", "Number of targets that counted").hidden().integer()};

    static constexpr std::array sample_values{"accuracy", "target", "predicted"};

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
        last_ = {targets, scores != nullptr ? scores->detach() : at::Tensor(),
                 classes != nullptr ? *classes : at::Tensor(),
                 masks != nullptr ? *masks : at::Tensor()};
        if (scores != nullptr && masks == nullptr && all_count(targets, *scores)) {
            add(count_hits(targets, *scores), targets.numel(), step);
            return;
        }
        const at::Tensor counts = last_.counts(ignore_index_);
        const at::Tensor is_hit = hits(last_, counts);
        const at::Tensor sums =  // both at once, because each waits for the device
            at::stack({is_hit.logical_and(counts).sum(), counts.sum()}).cpu();
        add(sums.data_ptr<int64_t>()[0], sums.data_ptr<int64_t>()[1], step);
    }

    // Writes of each sample the share of right predictions and, where it has one target, the target
    // and the predicted class.
    void collect_samples(uint64_t samples, std::span<double> out) const {
        const auto count = static_cast<int64_t>(samples);
        if (last_.scores.defined() && !last_.masks.defined() && last_.scores.dim() == 2 &&
            last_.scores.size(0) == count && all_count(last_.targets, last_.scores)) {
            return write_usual(last_.targets, last_.scores, out);
        }
        const at::Tensor counts = last_.counts(ignore_index_);
        const auto each = [&](const at::Tensor& values) {  // [B, ...] -> [B, N]
            return values.reshape({count, -1}).to(at::kDouble);
        };
        const at::Tensor is_out = counts.logical_not();
        const at::Tensor targets = each(last_.targets).masked_fill(each(is_out).gt(0), kNone);
        const at::Tensor predicted = each(last_.predicted()).masked_fill(each(is_out).gt(0), kNone);
        const bool has_one = targets.size(1) == 1;
        const at::Tensor none = at::full({count}, kNone, at::kDouble);
        const at::Tensor rows =
            at::stack({each(hits(last_, counts).logical_and(counts)).sum(1).cpu() /
                           each(counts).sum(1).cpu(),
                       has_one ? targets.squeeze(1).cpu() : none,
                       has_one ? predicted.squeeze(1).cpu() : none})
                .contiguous();
        std::copy_n(rows.data_ptr<double>(), out.size(), out.begin());
    }

    static constexpr uint32_t state_version = 2;
    static constexpr auto state() { return ptp::kept(&AccuracyStatistics::sets_); }

    std::array<double, 2> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 2> aggregate(uint64_t set) { return numbers(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    // The inputs of the last batch; undefined if they do not exist.
    struct Batch {
        at::Tensor targets;
        at::Tensor scores;
        at::Tensor classes;
        at::Tensor masks;

        [[nodiscard]] at::Tensor counts(std::optional<int64_t> ignore_index) const {
            const auto given = [](const at::Tensor& input) {
                return input.defined() ? &input : nullptr;
            };
            return measures::counted({targets, given(scores), given(classes), given(masks)},
                                     ignore_index);
        }
        // Returns the class of each prediction; -100 where a score is nan.
        [[nodiscard]] at::Tensor predicted() const {
            if (!scores.defined()) {
                return classes;
            }
            const auto [highest, first] = scores.max(-1);
            return first.masked_fill(highest.ne(highest), measures::kNoClass);
        }
    };

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

    // Writes what collect_samples() does of a batch that all_count() accepts, [B] and [B, C].
    static void write_usual(const at::Tensor& targets, const at::Tensor& scores,
                            std::span<double> out) {
        const auto count = static_cast<std::size_t>(targets.numel());
        const int64_t classes = scores.size(-1);
        const auto* target = targets.data_ptr<int64_t>();
        const auto* row = scores.data_ptr<float>();
        for (std::size_t i = 0; i < count; ++i, row += classes) {
            int64_t predicted = 0;
            bool has_nan = false;
            for (int64_t k = 0; k < classes; ++k) {
                predicted = row[k] > row[predicted] ? k : predicted;
                has_nan = has_nan || row[k] != row[k];
            }
            predicted = has_nan ? measures::kNoClass : predicted;
            out[i] = predicted == target[i] ? 1 : 0;
            out[count + i] = static_cast<double>(target[i]);
            out[2 * count + i] = static_cast<double>(predicted);
        }
    }

    void check_top_k(int64_t classes) const {
        if (top_k_ > classes) {
            throw ptp::ConfigError("top_k = ", top_k_, ": must be at most ", classes,
                                   ", the number of classes");
        }
    }

    // Returns whether the prediction is right: whether fewer than top_k classes precede the target,
    // those with a higher score, and those with an equal one and a smaller number.
    at::Tensor hits(const Batch& batch, const at::Tensor& counts) const {
        const at::Tensor& targets = batch.targets;
        const at::Tensor& scores = batch.scores;
        if (!scores.defined()) {
            return batch.classes.eq(targets).logical_and(targets.ne(measures::kNoClass));
        }
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
    Batch last_;
    Count batch_;
    ptp::BySet<Count> sets_;
};

template const ptp_component_info& ptp::component<AccuracyStatistics>();
