// CutMix: a rectangle of each image becomes that of another one, and its target a mean by area.

#include "mixing.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

class CutMix {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "CutMix";
    static constexpr const char* summary =
        "Puts a rectangle of another image into each one, and mixes their targets by area";
    static constexpr const char* description =
        "Yun et al. 2019, arXiv 1905.04899. In training a share is drawn once for each batch, from "
        "Beta(alpha, alpha), by the component's own generator. A rectangle of the image's form "
        "with the area 1 - share, whose middle is any pixel with equal chance, is taken from the "
        "other image; what lies outside of the image is cut off. The targets, whose classes become "
        "rows with a single 1 before, are mixed by the area that is left. The other image is the "
        "one before in the batch, as in torchvision's v2.CutMix. Outside of training images pass "
        "as they are, with targets as rows. Its targets are for SoftCrossEntropyLoss. Several "
        "processes mix the batches that one would; behind a model each mixes its own part of a "
        "batch.";

    static constexpr std::array ports = mixing::ports("Images with rectangles of others");
    static constexpr std::array globals{mixing::kNumClasses};
    using Config = mixing::Config;

    CutMix(const Config& config, ptp::Setup& setup) : mixing_(config, setup) {}

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs, const at::Tensor* classes,
                                               const at::Tensor* soft, const ptp::Step& step) {
        const at::Tensor shares = mixing_.shares(classes, soft, inputs);
        auto random = step.is_training() ? mixing_.begin() : std::nullopt;
        if (!random) {
            return {inputs, shares};
        }
        const double side = std::sqrt(1 - mixing_.share(*random));  // of the rectangle
        const int64_t height = inputs.size(2);
        const int64_t width = inputs.size(3);
        const Span rows = span(random->below(height), side, height);
        const Span columns = span(random->below(width), side, width);
        const auto place = [&](const at::Tensor& images) {
            return images.narrow(2, rows.first, rows.size).narrow(3, columns.first, columns.size);
        };
        at::Tensor outputs = inputs.clone();
        place(outputs).copy_(place(inputs).roll(1, 0));
        const double share =
            1 - static_cast<double>(rows.size * columns.size) / static_cast<double>(height * width);
        return {outputs, mixing::mixed(shares, share)};
    }

private:
    struct Span {
        int64_t first = 0;
        int64_t size = 0;
    };

    // Returns half of `side` in both directions of the middle, within [0, size).
    static Span span(int64_t middle, double side, int64_t size) {
        const auto half = static_cast<int64_t>(side * 0.5 * static_cast<double>(size));
        const int64_t first = std::max<int64_t>(middle - half, 0);
        return {first, std::min(middle + half, size) - first};
    }

    mixing::Mixing mixing_;
};

template const ptp_component_info& ptp::component<CutMix>();
