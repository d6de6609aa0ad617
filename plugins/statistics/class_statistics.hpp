// The common parts of statistics that compare predicted classes with the targets.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace measures {

// The class of a word outside of the vocabulary: such a target counts, and no prediction is
// correct.
inline constexpr int64_t kNoClass = -100;
inline constexpr const char* kOtherTargets = ", or -100, which no prediction is right for";

// The settings for masks.
struct MaskConfig {
    bool use_masking = false;
    int64_t num_targets_dims = 1;
    int64_t num_masks_dims = 1;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("use_masking", &MaskConfig::use_masking,
                         {.help = "Whether only what has a true mask counts"}),
            ptp::setting("num_targets_dims", &MaskConfig::num_targets_dims,
                         {.help = "Number of dimensions of the targets, the batch included",
                          .range = "[1, inf)"}),
            ptp::setting("num_masks_dims", &MaskConfig::num_masks_dims,
                         {.help = "Number of dimensions of the masks, which are the first of the "
                                  "targets; 1 is a mask for each sample",
                          .range = "[1, inf)"})};
    }
};

struct ClassConfig : MaskConfig {
    bool use_prediction_distributions = true;

    static constexpr auto settings() {
        return std::tuple_cat(
            std::tuple{ptp::setting("use_prediction_distributions",
                                    &ClassConfig::use_prediction_distributions,
                                    {.help = "Whether predictions are scores of classes, not "
                                             "classes"})},
            MaskConfig::settings());
    }
};

inline constexpr ptp::Port kMasks = ptp::input("masks", PTP_BOOL, "B, n^$num_masks_dims-1",
                                               "True for what counts: samples, or parts of them")
                                        .when("use_masking");
inline constexpr std::array kClassPorts{
    ptp::input("targets", PTP_INTEGER, "B, n^$num_targets_dims-1", "The right classes")
        .purpose(PTP_PURPOSE_TARGETS),
    ptp::input("predictions", PTP_FLOAT, "B, n^$num_targets_dims-1, num_classes",
               "A score for each class")
        .when("use_prediction_distributions"),
    ptp::input("predictions", PTP_INTEGER, "B, n^$num_targets_dims-1", "Classes")
        .when("!use_prediction_distributions"),
    kMasks};
inline constexpr ptp::Requirement kMasksDims =
    ptp::requirement("$num_masks_dims <= $num_targets_dims", "must be at most num_targets_dims")
        .when("use_masking");
inline constexpr ptp::Global kIgnoreIndex =
    ptp::reads_if_named("ignore_index",
                        "Targets of this value do not count, such as padding; none if not named")
        .purpose(PTP_PURPOSE_IGNORED_TARGET);

// The inputs of such a statistic; null if they do not exist.
struct ClassInputs {
    const at::Tensor& targets;
    const at::Tensor* scores;
    const at::Tensor* classes;
    const at::Tensor* masks;
};

// Throws SettingError if masks would have more dimensions than targets.
void check_masks_dims(const MaskConfig& config);

// Returns the masks with as many dimensions as the targets, new ones having size 1. Throws
// DataError unless they have the sizes of the first dimensions of the targets.
at::Tensor like_targets(const at::Tensor& masks, const at::Tensor& targets);

// Returns a bool for each target: whether its mask is true and it is not `ignore_index`. Throws
// DataError if the sizes of the inputs do not fit.
at::Tensor counted(const ClassInputs& inputs, std::optional<int64_t> ignore_index);

}  // namespace measures
