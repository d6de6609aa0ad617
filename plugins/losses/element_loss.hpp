// The common parts of losses that compare predictions with targets of the same sizes, element by
// element.
#pragma once

#include "tensor_checks.hpp"
#include "weighted_mean.hpp"

#include <array>
#include <tuple>

namespace losses {

struct ElementConfig : SampleConfig {
    int64_t num_targets_dims = 2;
    int64_t num_masks_dims = 1;

    static constexpr auto settings() {
        return std::tuple_cat(
            std::tuple{ptp::setting("num_targets_dims", &ElementConfig::num_targets_dims,
                                    {.help = "Number of dimensions of targets and predictions, the "
                                             "batch included",
                                     .range = "[1, inf)"}),
                       ptp::setting("num_masks_dims", &ElementConfig::num_masks_dims,
                                    {.help = "Number of dimensions of the masks, which are the "
                                             "first of the targets; 1 is a mask for each sample",
                                     .range = "[1, inf)"})},
            SampleConfig::settings());
    }
};

// The accepted meanings of losses on numbers, and of those on logits.
inline constexpr const char* kNumbers = "scores|probabilities|values";
inline constexpr const char* kLogits = "scores|values";

constexpr auto element_ports(const char* targets, const char* predictions, const char* meaning) {
    return std::array{ptp::input("targets", PTP_FLOAT, "B, n^$num_targets_dims-1", targets)
                          .purpose(PTP_PURPOSE_TARGETS),
                      ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1", predictions)
                          .meaning(meaning),
                      kMasks, kSampleWeights, kLoss};
}

// Throws ConfigError if masks would have more dimensions than targets.
void check_masks_dims(int64_t num_masks_dims, int64_t num_targets_dims);

// Throws DataError that names the first target that is not a probability.
void require_probabilities(const at::Tensor& targets);

// A loss that is the mean of compare(predictions, targets) over all counted elements.
class ElementLoss : public MeanLoss {
public:
    explicit ElementLoss(const ElementConfig& config) {
        check_masks_dims(config.num_masks_dims, config.num_targets_dims);
    }

protected:
    template <class Compare>
    at::Tensor mean_of(const at::Tensor& targets, const at::Tensor& predictions,
                       const CountingInputs& counting, Compare&& compare) {
        ptp::support::require_sizes("targets", targets, predictions.sizes(), "as predictions has");
        const at::Tensor counts =
            factors(counting, {"predictions", predictions.sizes()}, predictions);
        const at::Tensor wanted = targets.to(predictions.scalar_type());
        return mean_.of_items(
            compare(where_counted(predictions, counts), where_counted(wanted, counts)), counts);
    }
};

}  // namespace losses
