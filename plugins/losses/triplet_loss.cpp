// TripletLoss: an anchor should be nearer to a positive than to a negative, by a margin.

#include "tensor_checks.hpp"
#include "weighted_mean.hpp"

#include <ATen/ops/triplet_margin_loss.h>

class TripletLoss : public losses::MeanLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "TripletLoss";
    static constexpr const char* summary =
        "Mean of how far anchors fall short of being nearer to positives than to negatives by a "
        "margin";
    static constexpr const char* description =
        "With d the p-norm of the difference of two vectors, with 1e-6 added to each of its "
        "elements, loss = mean of max(0, d(anchor, positive) - d(anchor, negative) + margin), over "
        "the samples that count: those with a true mask (with use_masking), each by its weight "
        "(with use_sample_weights). With swap, d(positive, negative) is taken instead of d(anchor, "
        "negative) where it is smaller. If nothing counts, the loss and its gradient are 0. The "
        "loss of a set is the mean over all of its samples that count. V. Balntas et al., Learning "
        "shallow convolutional feature descriptors with triplet losses, BMVC 2016.";

    static constexpr std::array ports{
        ptp::input("anchors", PTP_FLOAT, "B, size", "A vector for each sample"),
        ptp::input("positives", PTP_FLOAT, "B, size", "One of the same kind as the anchor"),
        ptp::input("negatives", PTP_FLOAT, "B, size", "One of another kind"),
        losses::kSampleMasks,
        losses::kSampleWeights,
        losses::kLoss};

    struct Config : losses::SampleConfig {
        double margin = 1.0;
        double p = 2.0;
        bool swap = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("margin", &Config::margin,
                                 {.help = "By how much the negative shall be further away",
                                  .range = "(0, inf)"}),
                    ptp::setting("p", &Config::p,
                                 {.help = "Which norm the distance is: 1 adds up the elements' "
                                          "distances, 2 is Euclid's",
                                  .range = "[1, inf)"}),
                    ptp::setting("swap", &Config::swap,
                                 {.help = "Whether the distance of positive and negative counts "
                                          "where it is the smaller one"})},
                SampleConfig::settings());
        }
    };

    explicit TripletLoss(const Config& config) : config_(config) {}

    at::Tensor forward(const at::Tensor& anchors, const at::Tensor& positives,
                       const at::Tensor& negatives, const at::Tensor* masks,
                       const at::Tensor* sample_weights) {
        constexpr double kAdded = 1e-6;
        ptp::support::require_sizes("positives", positives, anchors.sizes(), "as anchors has");
        ptp::support::require_sizes("negatives", negatives, anchors.sizes(), "as anchors has");
        const at::Tensor counts = losses::factors(
            {masks, sample_weights}, {"anchors", anchors.sizes().slice(0, 1)}, anchors);
        const auto counted = [&](const at::Tensor& vectors) {
            return counts.defined() ? losses::where_counted(vectors, counts.unsqueeze(1)) : vectors;
        };
        const at::Tensor each = at::triplet_margin_loss(
            counted(anchors), counted(positives), counted(negatives), config_.margin, config_.p,
            kAdded, config_.swap, at::Reduction::None);
        return mean_.of_items(each, counts);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<TripletLoss>();
