// DiceLoss: the dissimilarity of two areas, for segmentation.

#include "class_loss.hpp"
#include "element_loss.hpp"
#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <vector>

class DiceLoss : public losses::MeanLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "DiceLoss";
    static constexpr const char* summary = "1 - soft Dice coefficient of areas, for segmentation";
    static constexpr const char* description =
        "For each sample and class, with p the predicted and t the right share of each place in "
        "the class, Dice = (2 sum of p t + smooth) / (sum of p + sum of t + smooth), with "
        "squared = true p^2 and t^2 in the denominator; 1 where that is 0. loss = mean of 1 - Dice "
        "over the classes, by class_weights, and over the samples that count: those with a true "
        "mask (with use_masking), each by its weight (with use_sample_weights). mode = "
        "\"multiclass\" takes raw scores through a softmax over the classes, and targets that are "
        "classes; places of ignore_index belong to no area, and a sample of nothing else does not "
        "count. mode = \"multilabel\" takes them through a sigmoid, and targets that are areas, "
        "which may overlap. If nothing counts, the loss and its gradient are 0. The loss of a set "
        "is the mean over all of its samples that count. Milletari et al., V-Net, arXiv "
        "1606.04797, section 3, with squared = true and smooth = 0.";

    static constexpr std::array ports{
        ptp::input("targets", PTP_INTEGER, "B, place^$num_spatial_dims", "The class of each place")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("mode = multiclass"),
        ptp::input("targets", PTP_FLOAT, "B, classes, place^$num_spatial_dims",
                   "For each class 1 where its area is, else 0, or a probability")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("mode = multilabel"),
        ptp::input("predictions", PTP_FLOAT, "B, classes, place^$num_spatial_dims",
                   "Logits of each class")
            .meaning("scores|log_probabilities|values if mode = multiclass; scores|values"),
        losses::kSampleMasks,
        losses::kSampleWeights,
        losses::kLoss};
    static constexpr std::array globals{losses::kIgnoreIndex};
    static constexpr std::array requirements{losses::kClassWeights};

    enum class Mode { kMulticlass, kMultilabel };
    struct Config : losses::SampleConfig {
        Mode mode = Mode::kMulticlass;
        int64_t num_spatial_dims = 2;
        double smooth = 1.0;
        bool squared = false;
        std::vector<double> class_weights;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("mode", &Config::mode,
                                 {.help = "Whether each place is of one class, or of any number",
                                  .choices = "multiclass|multilabel"}),
                    ptp::setting("num_spatial_dims", &Config::num_spatial_dims,
                                 {.help = "Number of dimensions of an area: 2 for images",
                                  .range = "[1, inf)"}),
                    ptp::setting("smooth", &Config::smooth,
                                 {.help = "Added above and below, so that small areas count less",
                                  .range = "[0, inf)"}),
                    ptp::setting("squared", &Config::squared,
                                 {.help = "Whether the denominator has squares"}),
                    ptp::setting("class_weights", &Config::class_weights,
                                 {.help = "How much each class counts; [] is 1 for all, 0 leaves a "
                                          "class out, such as the background",
                                  .range = "[0, inf)"})},
                SampleConfig::settings());
        }
    };

    DiceLoss(const Config& config, ptp::Setup& setup)
        : config_(config),
          ignore_index_(setup.optional_global<int64_t>("ignore_index").value_or(-100)),
          class_weights_(losses::class_weights(config.class_weights, setup)) {}

    at::Tensor forward(const at::Tensor* classes, const at::Tensor* areas,
                       const at::Tensor& predictions, const at::Tensor* masks,
                       const at::Tensor* sample_weights) {
        losses::check_class_weights(class_weights_, predictions.size(1));
        at::Tensor counts = losses::factors({masks, sample_weights},
                                            {"predictions", predictions.sizes().slice(0, 1)},
                                            predictions);  // [B]
        if (!counts.defined()) {
            counts = at::ones({predictions.size(0)}, predictions.options().requires_grad(false));
        }
        const Areas found = classes != nullptr ? of_classes(*classes, predictions, counts)
                                               : of_labels(*areas, predictions, counts);
        return mean_.of_items(of_samples(found), found.counts);
    }

private:
    struct Areas {
        at::Tensor predicted;  // [B, C, P]: the share of each place in each class
        at::Tensor wanted;     // [B, C, P]
        at::Tensor counts;     // [B]
    };

    // Reshapes [B] to [B, 1, ...], with as many dimensions as `tensor`.
    static at::Tensor beside(const at::Tensor& counts, const at::Tensor& tensor) {
        std::vector<int64_t> sizes(static_cast<size_t>(tensor.dim()), 1);
        sizes[0] = counts.size(0);
        return counts.reshape(sizes);
    }

    Areas of_classes(const at::Tensor& targets, const at::Tensor& scores,
                     const at::Tensor& counts) const {
        std::vector<int64_t> sizes = scores.sizes().vec();
        sizes.erase(sizes.begin() + 1);
        ptp::support::require_sizes("targets", targets, sizes, "as predictions has for each class");
        const at::Tensor counted = ptp::support::widened(targets)
                                       .ne(ignore_index_)
                                       .logical_and(beside(counts, targets).gt(0));
        const int64_t classes = scores.size(1);
        ptp::support::require_classes({.name = "targets",
                                       .targets = targets,
                                       .counted = counted,
                                       .classes = classes,
                                       .others = losses::uncounted_text(ignore_index_)});
        const at::Tensor is_out = counted.logical_not().unsqueeze(1);  // [B, 1, ...]
        const at::Tensor shares = scores.masked_fill(is_out, 0).softmax(1).masked_fill(is_out, 0);
        const at::Tensor wanted = at::zeros_like(scores).scatter_(
            1, targets.to(at::kLong).unsqueeze(1).masked_fill(is_out, 0), 1);
        return {shares.flatten(2), wanted.masked_fill(is_out, 0).flatten(2),
                counts * counted.flatten(1).any(1)};
    }

    static Areas of_labels(const at::Tensor& targets, const at::Tensor& scores,
                           const at::Tensor& counts) {
        ptp::support::require_sizes("targets", targets, scores.sizes(), "as predictions has");
        const at::Tensor factors = beside(counts, scores);
        const at::Tensor wanted = losses::where_counted(targets.to(scores.scalar_type()), factors);
        losses::require_probabilities(wanted);
        return {losses::where_counted(scores, factors).sigmoid().flatten(2), wanted.flatten(2),
                counts};
    }

    // Returns 1 - Dice of each sample, the mean over its classes.
    at::Tensor of_samples(const Areas& areas) {
        const auto size = [&](const at::Tensor& shares) {
            return (config_.squared ? shares.square() : shares).sum(2);  // [B, C, P] -> [B, C]
        };
        const at::Tensor whole = size(areas.predicted) + size(areas.wanted) + config_.smooth;
        const at::Tensor shared =
            (areas.predicted * areas.wanted).sum(2) * 2 + config_.smooth;  // [B, C]
        const at::Tensor is_empty = whole.eq(0);
        const at::Tensor missed =
            1 - shared.masked_fill(is_empty, 1) / whole.masked_fill(is_empty, 1);
        if (!class_weights_.defined()) {
            return missed.mean(1);  // [B, C] -> [B]
        }
        class_weights_ = class_weights_.to(missed.options().requires_grad(false));
        return (missed * class_weights_).sum(1) / class_weights_.sum();  // [B, C] -> [B]
    }

    Config config_;
    int64_t ignore_index_;
    at::Tensor class_weights_;  // undefined: all 1
};

template const ptp_component_info& ptp::component<DiceLoss>();
