// RegressionStatistics: errors of predicted numbers.

#include "class_statistics.hpp"
#include "moments.hpp"
#include "saved_scales.hpp"
#include "tensor_checks.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cmath>

class RegressionStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "RegressionStatistics";
    static constexpr const char* summary =
        "Mean absolute and squared error, its root, and R squared";
    static constexpr const char* description =
        "mae and mse are means over all numbers that count, rmse is the root of mse. r2 is 1 - "
        "(sum of error^2) / (sum of (target - mean of the targets)^2), the mean over the outputs, "
        "which are the numbers of a sample; an output whose targets are all equal has 1 if it "
        "is predicted exactly, else 0 (scikit-learn's r2_score, \"uniform_average\"). With "
        "use_masking only samples with a true mask count, or with num_masks_dims parts of them: of "
        "an output then only the samples in which it counts, and in r2 only outputs that count in "
        "two samples. Where the targets are values that the task standardizes, the errors are in their own unit. A set's are over all of its samples, added up in doubles by Chan's formula, "
        "so that a large mean costs no digits. Where nothing counts all are nan; r2 is nan for "
        "fewer than two samples.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_FLOAT, "B, n^$num_targets_dims-1", "The right numbers")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1",
                   "Numbers, of the sizes of the targets"),
        measures::kMasks};
    static constexpr std::array globals{
        ptp::reads_if_published("value_scales",
                                "Means and deviations of values that the task standardizes")
            .purpose(PTP_PURPOSE_VALUE_COLUMNS)};
    static constexpr std::array requirements{measures::kMasksDims};
    static constexpr std::array statistics{
        ptp::computed("mae", "Mean absolute error")
            .decimals(6)
            .weighted_by("support")
            .spread()
            .smaller_is_better(),
        ptp::computed("mse", "Mean squared error")
            .decimals(6)
            .weighted_by("support")
            .spread()
            .smaller_is_better(),
        ptp::computed("rmse", "Root of the mean squared error")
            .decimals(6)
            .weighted_by("support")
            .spread()
            .smaller_is_better(),
        ptp::computed("r2", "Share of the targets' variance that is predicted")
            .decimals(6)
            .larger_is_better(),
        ptp::sum("support", "Number of samples, or masked parts of them, that counted")
            .hidden()
            .integer()};

    struct Config : measures::MaskConfig {
        Config() { num_targets_dims = 2; }
    };

    RegressionStatistics(const Config& config, const ptp::Setup& setup) {
        measures::check_masks_dims(config);
        if (const auto scales = setup.optional_global<ptp::Data>("value_scales")) {
            scales_ = ptp::support::restored_scales(*scales);
        }
    }

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const at::Tensor* masks,
                 const ptp::Step& step) {
        ptp::support::require_sizes("targets", targets, predictions.sizes(), "as predictions has");
        const auto rows = [](const at::Tensor& tensor) {  // [B, ...] -> [B, K]
            return tensor.dim() == 1 ? tensor.unsqueeze(1) : tensor.flatten(1);
        };
        at::Tensor samples;  // [B], the counted ones; undefined: all
        at::Tensor numbers;  // [B, K], the counted numbers; undefined: all of these samples
        if (masks != nullptr) {
            const at::Tensor counts = measures::like_targets(*masks, targets);
            (masks->dim() == 1 ? samples : numbers) =
                masks->dim() == 1 ? *masks : rows(counts.expand_as(targets)).cpu().contiguous();
        }
        const auto chosen = [&](const at::Tensor& tensor) {
            return in_their_unit((samples.defined() ? rows(tensor).index({samples}) : rows(tensor))
                                     .to(at::kCPU, at::kDouble))
                .contiguous();
        };
        const int64_t support = masks != nullptr ? masks->sum().item<int64_t>() : targets.size(0);
        batch_ = measures::Moments({chosen(targets), chosen(predictions), numbers, support});
        sets_[step.set()].merge(batch_);
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return sets_.save(); }
    void import_state(uint32_t, const ptp::Data& state) { sets_.restore(state); }

    std::array<double, 5> collect(uint64_t) const { return numbers_of(batch_); }
    std::array<double, 5> aggregate(uint64_t set) { return numbers_of(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    // Returns standardized numbers [B, K] as they were, if K is their count; others unchanged.
    [[nodiscard]] at::Tensor in_their_unit(const at::Tensor& numbers) const {
        if (scales_.means.empty() ||
            numbers.size(1) != static_cast<int64_t>(scales_.means.size())) {
            return numbers;
        }
        return numbers * at::tensor(scales_.deviations, at::kDouble) +
               at::tensor(scales_.means, at::kDouble);
    }

    static std::array<double, 5> numbers_of(const measures::Moments& moments) {
        const double mse = moments.mean_squared_error();
        return {moments.mean_absolute_error(), mse, std::sqrt(mse), moments.r_squared(),
                static_cast<double>(moments.support())};
    }

    ptp::support::ValueScales scales_;  // of standardized values
    measures::Moments batch_;
    ptp::BySet<measures::Moments> sets_;
};

template const ptp_component_info& ptp::component<RegressionStatistics>();
