// ContrastiveLoss: an image should be nearer to its text than to the other texts of the batch, and
// a text to its image.

#include "tensor_checks.hpp"
#include "weighted_mean.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

class ContrastiveLoss {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "ContrastiveLoss";
    static constexpr const char* summary =
        "Symmetric cross-entropy of the similarities of matching pairs within a batch (InfoNCE, "
        "CLIP)";
    static constexpr const char* description =
        "With u_i and v_i the embeddings of image and text of sample i, divided by their lengths, "
        "and a scale s, the similarities are s u_i v_j. The loss of a sample is the mean of two "
        "cross-entropies, -log(e^(s u_i v_i) / sum over j of e^(s u_i v_j)) and the same with the "
        "sum over u_j v_i; the loss is their mean over the samples that count. j are the samples "
        "of the batch that count: those with a true mask (with use_masking) and a weight above 0 "
        "(with use_sample_weights). With use_labels other samples with the same label as i are "
        "left out of its sums, since they are not wrong. s is 1 / temperature. If a stream is "
        "wired to logit_scale, such as that of ContrastiveProjection, s = e^logit_scale instead, "
        "at most max_scale; gradients pass as if it were not bounded, so that it can return. If "
        "nothing counts, the loss and its gradient are 0.\n"
        "An image is compared with the other texts of its batch, so larger batches make the "
        "task harder and the value of the loss larger: log(batch size) before training. Several "
        "processes compare each sample with those of all, so that the loss and its gradients are "
        "those of one process. Oord et al. 2018, arXiv 1807.03748; Radford et al. 2021, arXiv "
        "2103.00020.";

    static constexpr std::array ports{
        ptp::input("image_embeddings", PTP_FLOAT, "B, size", "A vector for each image"),
        ptp::input("text_embeddings", PTP_FLOAT, "B, size",
                   "A vector for each text, or for whatever matches the image"),
        ptp::input("logit_scale", PTP_FLOAT, "", "Logarithm of the scale, from a model").optional(),
        ptp::input("labels", PTP_INTEGER, "B", "Samples of one label are not told from each other")
            .when("use_labels"),
        losses::kSampleMasks,
        losses::kSampleWeights,
        losses::kLoss};
    static constexpr std::array statistics{
        losses::kStatistics[0],
        ptp::mean("scale", "What cosines of embeddings are multiplied by").decimals(4)};
    static constexpr std::array sample_values = losses::kSampleValues;

    struct Config : losses::SampleConfig {
        std::optional<double> temperature;
        double max_scale = 100.0;
        bool use_labels = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("temperature", &Config::temperature,
                                 {.help = "What similarities are divided by, 0.07 if not given; "
                                          "not with a stream for logit_scale",
                                  .range = "(0, inf)"}),
                    ptp::setting("max_scale", &Config::max_scale,
                                 {.help = "Largest scale that a stream for logit_scale has",
                                  .range = "(0, inf)"}),
                    ptp::setting("use_labels", &Config::use_labels,
                                 {.help = "Whether samples with equal labels are not told from "
                                          "each other"})},
                SampleConfig::settings());
        }
    };

    ContrastiveLoss(const Config& config, ptp::Setup& setup)
        : scale_(1 / config.temperature.value_or(kTemperature)),
          max_scale_(config.max_scale),
          whole_batch_(setup.whole_batch()) {
        if (config.temperature && !setup.inputs("logit_scale").empty()) {
            throw ptp::SettingError("temperature", "must not be given, because the stream '",
                                    setup.inputs("logit_scale").front().stream,
                                    "' is the logarithm of the scale");
        }
    }

    at::Tensor forward(const at::Tensor& images, const at::Tensor& texts,
                       const at::Tensor* logit_scale, const at::Tensor* labels,
                       const at::Tensor* masks, const at::Tensor* sample_weights) {
        ptp::support::require_sizes("text_embeddings", texts, images.sizes(),
                                    "as image_embeddings has");
        const at::Tensor counts = losses::factors(
            {masks, sample_weights}, {"image_embeddings", images.sizes().slice(0, 1)}, images);
        const at::Tensor u = direction(images, counts);                             // [b, D]
        const at::Tensor v = direction(texts, counts);                              // [b, D]
        const ptp::WholeBatch::Rows all = whole_batch_.gather(at::cat({u, v}, 1));  // [B, 2 D]
        const at::Tensor own = at::arange(all.first, all.first + images.size(0),
                                          images.options().dtype(at::kLong).requires_grad(false))
                                   .unsqueeze(1);  // [b, 1]
        const at::Tensor left_out = left_out_of_sums(labels, counts, own);
        const at::Tensor scale = scale_of(logit_scale, images);
        const auto cross_entropy = [&](const at::Tensor& from, const at::Tensor& to) {
            at::Tensor logits = scale * from.matmul(to.t());  // [b, B]
            if (left_out.defined()) {
                logits = logits.masked_fill(left_out, -std::numeric_limits<double>::infinity());
            }
            return -logits.log_softmax(1).gather(1, own).squeeze(1);  // [b]
        };
        const std::vector<at::Tensor> whole = all.rows.chunk(2, 1);
        const at::Tensor each = (cross_entropy(u, whole[1]) + cross_entropy(v, whole[0])) / 2;
        return mean_.of_items(each, counts);
    }

    std::array<double, 2> collect(uint64_t) const {
        return {mean_.collect()[0], last_scale_.item<double>()};
    }
    void collect_samples(uint64_t samples, std::span<double> out) const {
        mean_.collect_samples(samples, out);
    }

private:
    static constexpr double kTemperature = 0.07;  // CLIP's initial one

    static at::Tensor direction(const at::Tensor& embeddings, const at::Tensor& counts) {
        constexpr double kMinLength = 1e-12;
        const at::Tensor counted =
            counts.defined() ? losses::where_counted(embeddings, counts.unsqueeze(1)) : embeddings;
        return counted / counted.norm(2, 1, true).clamp_min(kMinLength);
    }

    at::Tensor scale_of(const at::Tensor* logit_scale, const at::Tensor& like) {
        at::Tensor scale = at::scalar_tensor(scale_, like.options().requires_grad(false));
        if (logit_scale != nullptr) {
            const at::Tensor bounded = logit_scale->clamp_max(std::log(max_scale_));
            scale = (*logit_scale + (bounded - *logit_scale).detach()).exp();
        }
        last_scale_ = scale.detach();
        return scale;
    }

    // Returns for each own sample, at these places of the batch, which samples of all are not in
    // its sums: [b, B]; undefined if all are. Itself is.
    [[nodiscard]] at::Tensor left_out_of_sums(const at::Tensor* labels, const at::Tensor& counts,
                                              const at::Tensor& own) const {
        at::Tensor left_out;
        if (counts.defined()) {
            left_out = whole_batch_.gather(counts).rows.eq(0).unsqueeze(0);  // [1, B]
        }
        if (labels != nullptr) {
            const at::Tensor all = whole_batch_.gather(*labels).rows;
            const at::Tensor same = labels->unsqueeze(1).eq(all.unsqueeze(0));
            left_out = left_out.defined() ? left_out.logical_or(same) : same;
        }
        return left_out.defined()
                   ? left_out.expand({own.size(0), left_out.size(1)}).scatter(1, own, false)
                   : left_out;
    }

    double scale_;
    double max_scale_;
    ptp::WholeBatch whole_batch_;
    at::Tensor last_scale_;
    losses::Mean mean_;
};

template const ptp_component_info& ptp::component<ContrastiveLoss>();
