// The items of a batch that count, their weights, and the mean over them: shared by all losses of
// this plugin.
//
// loss = sum of f_i l_i / sum of f_i, over items i (samples, or elements of samples). f_i is 0 if a
// mask is false, otherwise the weight of the sample, otherwise 1. An item with f_i = 0 changes
// neither the loss nor any gradient, even if its values are nan. If all f_i are 0, so are the loss
// and its gradient. The sum of f_i is the statistic "loss_weight", with which the runtime computes
// exact means of batches with different weights.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

namespace losses {

struct SampleConfig {
    bool use_masking = false;
    bool use_sample_weights = false;

    static constexpr auto settings() {
        return std::tuple{ptp::setting("use_masking", &SampleConfig::use_masking,
                                       {.help = "Whether only what has a true mask counts"}),
                          ptp::setting("use_sample_weights", &SampleConfig::use_sample_weights,
                                       {.help = "Whether samples count by weights of their own"})};
    }
};

inline constexpr ptp::Port kSampleMasks =
    ptp::input("masks", PTP_BOOL, "B", "True for samples that count").when("use_masking");
inline constexpr ptp::Port kMasks = ptp::input("masks", PTP_BOOL, "B, n^$num_masks_dims-1",
                                               "True for what counts: samples, or parts of them")
                                        .when("use_masking");
inline constexpr ptp::Port kSampleWeights =
    ptp::input("sample_weights", PTP_FLOAT, "B", "How much each sample counts; 0 or more")
        .when("use_sample_weights");
inline constexpr ptp::Port kLoss =
    ptp::output("loss", PTP_FLOAT, "", "Mean over what counts; 0 if nothing does").loss();
inline constexpr std::array kStatistics{
    ptp::sum("loss_weight", "What the mean is divided by: weights of all that counts").hidden()};

// The inputs of a loss that determine what counts; null if they do not exist.
struct CountingInputs {
    const at::Tensor* masks;
    const at::Tensor* sample_weights;
};

// The tensor whose parts count or not.
struct CountedTensor {
    const char* name;
    at::IntArrayRef sizes;
};

// Returns f_i, of the type of `values`, with the dimensions of the counted tensor, of size 1 where
// masks and weights do not distinguish; undefined if all items count equally. Throws DataError if
// their sizes do not fit or a weight is negative or not finite.
at::Tensor factors(const CountingInputs& counting, const CountedTensor& of,
                   const at::Tensor& values);

// Returns the values, but 0 where the factor is 0, which stops values and gradients.
at::Tensor where_counted(const at::Tensor& values, const at::Tensor& factors);

// The names of a loss's values for each sample.
inline constexpr std::array<const char*, 1> kSampleValues{"loss"};

// A mean of a batch, and its divisor; keeps the last divisor, and the items for the means of single
// samples.
class Mean {
public:
    // Returns the sum of the items / weight, a single number; 0 if the weight is 0.
    at::Tensor of(const at::Tensor& items, at::Tensor weight);
    // Returns the mean over items that each count 1: the bits of of(items, their number), in
    // one call.
    at::Tensor of_all(const at::Tensor& items);
    // Returns the mean over items; `factors` has sizes that broadcast; undefined: 1 for each.
    at::Tensor of_items(const at::Tensor& items, const at::Tensor& factors);
    // Returns the mean over items that include their `weights`: sum of f_i l_i / sum of f_i w_i.
    at::Tensor of_weighted(const at::Tensor& items, const at::Tensor& factors,
                           const at::Tensor& weights);

    [[nodiscard]] std::array<double, 1> collect() const;

    // Writes the mean over the items of each of `samples` samples, which are the first dimension of
    // the items; NaN for a sample in which nothing counts.
    void collect_samples(std::uint64_t samples, std::span<double> out) const;

private:
    void keep(const at::Tensor& items, const at::Tensor& factors, const at::Tensor& weights);

    at::Tensor weight_;  // undefined: count_
    double count_ = 0;
    // The last batch: l_i; f_i and w_i, undefined where all are 1.
    at::Tensor items_;
    at::Tensor factors_;
    at::Tensor weights_;
};

// A loss that is one mean: what it measures of a batch and of single samples.
class MeanLoss {
public:
    static constexpr std::array statistics = kStatistics;
    static constexpr std::array sample_values = kSampleValues;

    [[nodiscard]] std::array<double, 1> collect(std::uint64_t) const { return mean_.collect(); }
    void collect_samples(std::uint64_t samples, std::span<double> out) const {
        mean_.collect_samples(samples, out);
    }

protected:
    Mean mean_;
};

}  // namespace losses
