// MixUp: each image becomes a weighted mean of two, and its target the same mean of their classes.

#include "mixing.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class MixUp {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "MixUp";
    static constexpr const char* summary = "Mixes each image and its target with another one";
    static constexpr const char* description =
        "Zhang et al. 2018, arXiv 1710.09412. In training, image = share * image + (1 - share) * "
        "other, and likewise the targets, which are made one-hot first. The share is drawn "
        "once for each batch, from Beta(alpha, alpha), by the component's own generator; the other "
        "image is the one before in the batch, as in torchvision's v2.MixUp. Outside of training "
        "images pass as they are, with targets as rows. Its targets are for SoftCrossEntropyLoss. "
        "Several processes mix the batches that one would; behind a model each mixes its own part "
        "of a batch.";

    static constexpr std::array ports = mixing::ports("Mixed images");
    static constexpr std::array globals{mixing::kNumClasses};
    using Config = mixing::Config;

    MixUp(const Config& config, ptp::Setup& setup) : mixing_(config, setup) {}

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs, const at::Tensor* classes,
                                               const at::Tensor* soft, const ptp::Step& step) {
        const at::Tensor shares = mixing_.shares(classes, soft, inputs);
        auto random = step.is_training() ? mixing_.begin() : std::nullopt;
        if (!random) {
            return {inputs, shares};
        }
        const double share = mixing_.share(*random);
        return {mixing::mixed(inputs, share), mixing::mixed(shares, share)};
    }

private:
    mixing::Mixing mixing_;
};

template const ptp_component_info& ptp::component<MixUp>();
