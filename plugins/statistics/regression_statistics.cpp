// RegressionStatistics: how far numbers are from the right ones.

#include "moments.hpp"
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
        "use_masking only samples with a true mask count. A set's are over all of its samples, "
        "added up in doubles by Chan's formula, so that a large mean costs no digits. Where "
        "nothing counts all are nan; r2 is nan for fewer than two samples.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_FLOAT, "B, n^$num_targets_dims-1", "The right numbers"),
        ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1",
                   "Numbers, of the sizes of the targets"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking")};
    static constexpr std::array statistics{
        ptp::computed("mae", "Mean absolute error").decimals(6).weighted_by("support").spread(),
        ptp::computed("mse", "Mean squared error").decimals(6).weighted_by("support").spread(),
        ptp::computed("rmse", "Root of the mean squared error")
            .decimals(6)
            .weighted_by("support")
            .spread(),
        ptp::computed("r2", "Share of the targets' variance that is predicted").decimals(6),
        ptp::sum("support", "Number of samples that counted").hidden().integer()};

    struct Config {
        int64_t num_targets_dims = 2;
        bool use_masking = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_targets_dims", &Config::num_targets_dims,
                             {.help = "Number of dimensions of targets and predictions, the batch "
                                      "included",
                              .range = "[1, inf)"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only samples with a true mask count"})};
        }
    };

    void forward(const at::Tensor& targets, const at::Tensor& predictions, const at::Tensor* masks,
                 const ptp::Step& step) {
        ptp::support::require_sizes("targets", targets, predictions.sizes(), "as predictions has");
        if (masks != nullptr) {
            ptp::support::require_sizes("masks", *masks, targets.sizes().slice(0, 1),
                                        "as targets has");
        }
        const auto numbers = [&](const at::Tensor& tensor) {
            const at::Tensor rows =  // [B, ...] -> [B, K]
                tensor.dim() == 1 ? tensor.unsqueeze(1) : tensor.flatten(1);
            return (masks != nullptr ? rows.index({*masks}) : rows)
                .to(at::kCPU, at::kDouble)
                .contiguous();
        };
        batch_ = measures::Moments(numbers(targets), numbers(predictions));
        sets_[step.set()].merge(batch_);
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return sets_.save(); }
    void import_state(uint32_t, const ptp::Data& state) { sets_.restore(state); }

    std::array<double, 5> collect(uint64_t) const { return numbers_of(batch_); }
    std::array<double, 5> aggregate(uint64_t set) { return numbers_of(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

private:
    static std::array<double, 5> numbers_of(const measures::Moments& moments) {
        const double mse = moments.mean_squared_error();
        return {moments.mean_absolute_error(), mse, std::sqrt(mse), moments.r_squared(),
                static_cast<double>(moments.samples())};
    }

    measures::Moments batch_;
    ptp::BySet<measures::Moments> sets_;
};

template const ptp_component_info& ptp::component<RegressionStatistics>();
